// Removes the declarations in dist of the current folder that no public entry point uses. Only exported code is
// published, and declarations that import untyped modules of oidc-provider would not compile for
// users.
import { readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const root = process.cwd()
const manifest: { exports: Record<string, string | { types?: string }> } = JSON.parse(
  await readFile(join(root, 'package.json'), 'utf8'),
)
const reached = new Set<string>()

async function follow(file: string): Promise<void> {
  if (reached.has(file)) return
  reached.add(file)
  const text = await readFile(file, 'utf8')
  const relative = text.matchAll(/(?:from|import)\s*\(?['"](\.{1,2}\/[^'"]+)\.ts['"]/g)
  for (const [, target] of relative) await follow(join(dirname(file), `${target}.d.ts`))
}

for (const entry of Object.values(manifest.exports)) {
  if (typeof entry !== 'string' && entry.types) await follow(join(root, entry.types))
}
const files = await readdir(join(root, 'dist'), { recursive: true })
for (const file of files.filter((name) => name.endsWith('.d.ts'))) {
  const path = join(root, 'dist', file)
  if (!reached.has(path)) await rm(path)
}
