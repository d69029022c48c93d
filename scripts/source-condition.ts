// Adds the export condition of the sources to package.json of the current folder, or removes it. In
// the repository, the condition lets files import a package by its name without a build. The tarball
// has no sources, so `prepack` removes the condition and `postpack` adds it again:
//   node scripts/source-condition.ts remove | add
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/** Named after the plugin: other packages use a general name such as `source`, too. */
const CONDITION = 'oidc-provider-impersonation'

type Entry = string | Record<string, string>

const FILE = resolve('package.json')
const [command] = process.argv.slice(2)
if (command !== 'add' && command !== 'remove') throw new TypeError('say add or remove')

const manifest: { exports: Record<string, Entry> } = JSON.parse(await readFile(FILE, 'utf8'))
for (const [path, entry] of Object.entries(manifest.exports)) {
  if (typeof entry === 'string') continue
  const { [CONDITION]: _, ...published } = entry
  manifest.exports[path] =
    command === 'remove' ? published : { [CONDITION]: sourceOf(published), ...published }
}
await writeFile(FILE, `${JSON.stringify(manifest, null, 2)}\n`)

/** The source from which the build makes a file. */
function sourceOf({ default: built = '' }: Record<string, string>): string {
  return built.replace(/^\.\/dist\/(.*)\.js$/, './src/$1.ts')
}
