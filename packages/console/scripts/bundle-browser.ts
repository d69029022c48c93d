// Writes what browsers load, as the package has it, with the licences of what is bundled.
//   node --conditions=oidc-provider-impersonation packages/console/scripts/bundle-browser.ts [folder]
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleSource } from '../src/web/page/source.ts'

/** The licences of the packages in the bundle: each copy of the code must have them. */
const LICENCES = ['idiomorph/LICENSE']

const [folder = fileURLToPath(new URL('../dist/browser', import.meta.url))] = process.argv.slice(2)

await mkdir(folder, { recursive: true })
for (const [name, content] of await bundleSource()) {
  await writeFile(join(folder, name), content)
}
const texts = LICENCES.map((file) =>
  readFile(new URL(`../../../node_modules/${file}`, import.meta.url), 'utf8'),
)
await writeFile(join(folder, 'LICENSES.txt'), (await Promise.all(texts)).join('\n'))
