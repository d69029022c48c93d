// Adds the export condition of the sources to package.json of the current folder, or removes it. In
// the repository, the condition lets files import a package by its name without a build. The tarball
// has no sources, so `prepack` removes the condition and `postpack` adds it again:
//   node scripts/source-condition.ts remove | add
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/** Named after the plugin: other packages use a general name such as `source`, too. */
const CONDITION = 'oidc-provider-impersonation'

/** What both packages have a copy of (src/shared): without the condition, no entry of the plugin. */
const GLUE = { './glue/*': { [CONDITION]: './src/glue/*.ts' } }
const GLUE_OF_CONSOLE = 'oidc-provider-impersonation/glue/*'

type Entry = string | Record<string, string>

const FILE = resolve('package.json')
const [command] = process.argv.slice(2)
if (command !== 'add' && command !== 'remove') throw new TypeError('say add or remove')

const manifest: {
  name: string
  imports?: Record<string, Record<string, string>>
  exports: Record<string, Entry>
} = JSON.parse(await readFile(FILE, 'utf8'))
const isAdded = command === 'add'
for (const [path, entry] of Object.entries(manifest.exports)) {
  if (typeof entry === 'string') continue
  const { [CONDITION]: _, ...published } = entry
  if (!published.default) delete manifest.exports[path]
  else
    manifest.exports[path] = isAdded
      ? { [CONDITION]: sourceOf(published), ...published }
      : published
}
if (isAdded && manifest.name === CONDITION) Object.assign(manifest.exports, GLUE)
for (const [path, { [CONDITION]: _, ...published }] of Object.entries(manifest.imports ?? {})) {
  const added = isAdded && { [CONDITION]: GLUE_OF_CONSOLE }
  Object.assign(manifest.imports ?? {}, { [path]: { ...added, ...published } })
}
await writeFile(FILE, `${JSON.stringify(manifest, null, 2)}\n`)

/** The source from which the build makes a file. */
function sourceOf({ default: built = '' }: Record<string, string>): string {
  return built.replace(/^\.\/dist\/(.*)\.js$/, './src/$1.ts')
}
