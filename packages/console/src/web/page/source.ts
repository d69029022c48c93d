import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The files that browsers load, by their names. */
type BrowserFiles = readonly (readonly [name: string, content: Uint8Array])[]

const FILE_NAMES = ['page.js', 'style.css', 'icon.svg']

/** Bundles the source by esbuild. The package has what this makes. */
export async function bundleSource(): Promise<BrowserFiles> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: ['browser/page.ts', 'style/style.css', 'style/icon.svg'],
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryNames: '[name]',
    assetNames: '[name]',
    loader: { '.svg': 'copy' },
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
  return outputFiles.map(({ path, contents }) => [basename(path), contents])
}

/** The files as they were built, or from the source, which takes esbuild. */
export async function browserFiles(): Promise<BrowserFiles> {
  if (import.meta.url.endsWith('.ts')) return bundleSource()
  const folder = new URL('../../browser/', import.meta.url)
  return Promise.all(
    FILE_NAMES.map(async (name) => [name, await readFile(new URL(name, folder))] as const),
  )
}
