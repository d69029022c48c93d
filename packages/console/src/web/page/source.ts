import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The files that browsers load. */
export const FILE_NAMES = ['page.js', 'style.css', 'icon.svg'] as const

/** The content of each of {@link FILE_NAMES}. */
export type BrowserFiles = ReadonlyMap<string, Uint8Array>

const SOURCE_FOLDER = new URL('../../', import.meta.url)

/** Bundles the source by esbuild. The package has what this makes. */
export async function bundleSource(): Promise<BrowserFiles> {
  const { build } = await import('esbuild')
  const pathOf = (name: string) => fileURLToPath(new URL(name, SOURCE_FOLDER))
  const { outputFiles } = await build({
    entryPoints: ['web/browser/page.ts', 'web/style/style.css'].map(pathOf),
    entryNames: '[name]',
    outdir: '/',
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'silent',
  })
  const made = outputFiles.map(({ path, contents }) => [basename(path), contents] as const)
  const icon = await readFile(pathOf('web/style/icon.svg'))
  return new Map<string, Uint8Array>([...made, ['icon.svg', icon]])
}

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
