import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type BrowserFiles, bundleSource, FILE_NAMES } from './source.ts'

let files: Promise<BrowserFiles> | undefined

/**
 * The files that browsers load: as they were built, or from the source at the first call, which
 * takes esbuild. A failure is not kept.
 */
export function browserFiles(): Promise<BrowserFiles> {
  files ??= load().catch((error) => {
    files = undefined
    throw error
  })
  return files
}

async function load(): Promise<BrowserFiles> {
  const built = new URL('../../browser/', import.meta.url)
  if (!existsSync(new URL(FILE_NAMES[0], built))) return bundleSource()
  const read = FILE_NAMES.map(async (name) => [name, await readFile(new URL(name, built))] as const)
  return new Map(await Promise.all(read))
}
