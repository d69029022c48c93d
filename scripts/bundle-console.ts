// Writes what browsers load into dist/browser of the package `console`, with the licences of the
// packages that are bundled:
//   node --conditions=oidc-provider-impersonation scripts/bundle-console.ts
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { bundleSource } from '../console/src/page/source.ts'

/** What the browser code imports. Their licences want to be in every copy. */
const BUNDLED = ['eventsource-parser', 'oauth4webapi', 'preact']

const folder = new URL('../console/dist/browser/', import.meta.url)
await mkdir(folder, { recursive: true })
for (const [name, content] of Object.entries(await bundleSource())) {
  await writeFile(new URL(name, folder), content)
}
const licences = BUNDLED.map(async (name) => {
  const file = new URL(
    `../node_modules/${name}/LICENSE${name === 'oauth4webapi' ? '.md' : ''}`,
    import.meta.url,
  )
  return `${name}\n\n${await readFile(file, 'utf8')}`
})
await writeFile(new URL('LICENSES.txt', folder), (await Promise.all(licences)).join('\n'))
