// Writes the files that browsers load, as the package has them.
//   node --conditions=oidc-provider-impersonation console/scripts/bundle-browser.ts [folder]
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleSource } from '../src/page/source.ts'

const [folder = fileURLToPath(new URL('../dist/browser', import.meta.url))] = process.argv.slice(2)

await mkdir(folder, { recursive: true })
for (const [name, content] of Object.entries(await bundleSource())) {
  await writeFile(join(folder, name), content)
}
