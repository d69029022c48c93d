import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { bundleSource, FILE_NAMES, type FileName } from './source.ts'

export type { FileName } from './source.ts'

export type BrowserFiles = Readonly<Record<FileName, Uint8Array>>

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
  const built = new URL('../browser/', import.meta.url)
  if (!existsSync(new URL(FILE_NAMES[0], built))) return bundleSource()
  const read = FILE_NAMES.map(async (name) => [name, await readFile(new URL(name, built))] as const)
  return recordOf(await Promise.all(read))
}

function recordOf(entries: ReadonlyArray<readonly [FileName, Uint8Array]>): BrowserFiles {
  const none = new Uint8Array()
  const files: Record<FileName, Uint8Array> = {
    'console.js': none,
    'account.js': none,
    'style.css': none,
    'icon.svg': none,
  }
  for (const [name, content] of entries) files[name] = content
  return files
}
