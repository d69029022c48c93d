import { glob, readFile } from 'node:fs/promises'

const ROOT = new URL('../../', import.meta.url)

/** Returns whether the name, or the part of it that is cited, is the title of a test, of a group, or of a row. */
export function hasTest(source: string, name: string): boolean {
  if (!source.includes(name)) return false
  const titles = source.matchAll(
    /(?:\b(?:it|describe|\w+Suite)\(|\[)\s*(?:'(.*?)'|"(.*?)"|`(.*?)`),/g,
  )
  return [...titles].some((title) => title.slice(1).some((text) => text?.includes(name)))
}

/** Sources by path, without the backslashes of their quotes. */
export async function filesOf(pattern: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for await (const file of glob(pattern, { cwd: ROOT })) {
    if (file.includes('node_modules')) continue
    files.set(file, (await readFile(new URL(file, ROOT), 'utf8')).replaceAll("\\'", "'"))
  }
  return files
}
