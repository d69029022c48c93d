import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** One import of a file, types included, because a reader follows them too. */
export interface Import {
  /** Relative to the folder that was read, as `target`. */
  readonly file: string
  /** A file, or the specifier of a package. */
  readonly target: string
  /** True of a relative import. */
  readonly isOwn: boolean
  readonly isType: boolean
}

/** `import` and `export … from` in the first group, `import(…)` in the last. */
const IMPORT =
  /^(?:import|export)\s+(type\s)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm

/** The TypeScript files below a folder. */
export function filesBelow(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return all.filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
}

/** Returns the imports of the files of a folder. */
export function importsBelow(folder: string): Import[] {
  return filesBelow(folder).flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    return [...text.matchAll(IMPORT)].map(([, type, named = '', specifier = named]) => {
      const isOwn = specifier.startsWith('.')
      const target = isOwn ? relative(folder, join(folder, file, '..', specifier)) : specifier
      return { file, target, isOwn, isType: type !== undefined }
    })
  })
}

/** Files that import each other in a circle, each circle once, from any of its files. */
export function circlesOf(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>()
  for (const { file, target, isOwn } of imports) {
    if (isOwn) targets.set(file, [...(targets.get(file) ?? []), target])
  }
  const done = new Set<string>()
  const circles: string[] = []
  const follow = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file)
    if (start !== -1) circles.push([...path.slice(start), file].join(' → '))
    if (start !== -1 || done.has(file)) return
    for (const target of targets.get(file) ?? []) follow(target, [...path, file])
    done.add(file)
  }
  for (const file of targets.keys()) follow(file, [])
  return circles
}
