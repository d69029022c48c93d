import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The modules of a package, as a browser loads them. */
export interface BrowserModules {
  /** The file name of the module that the package exports. */
  readonly entry: string
  /** The text of each module of the folder and its folders, by its path from there. */
  readonly texts: ReadonlyMap<string, string>
}

/**
 * Reads what a package exports by this name, and its neighbours. Where that is the source in
 * TypeScript, the types are taken out, so that no build is needed.
 */
export async function readModules(specifier: string): Promise<BrowserModules> {
  const file = fileURLToPath(import.meta.resolve(specifier))
  const texts = new Map<string, string>()
  const names = await readdir(dirname(file), { recursive: true })
  for (const name of names) {
    if (!/(?<!\.d)\.[jt]s$/.test(name)) continue
    const text = await readFile(join(dirname(file), name), 'utf8')
    texts.set(name, name.endsWith('.ts') ? await withoutTypes(text) : text)
  }
  return { entry: basename(file), texts }
}

/** A package that was built has no such module: it needs no esbuild. */
async function withoutTypes(text: string): Promise<string> {
  const { transform } = await import('esbuild')
  const { code } = await transform(text, { loader: 'ts', target: 'es2022' })
  return code
}
