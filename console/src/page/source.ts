import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What browsers load. */
export const FILE_NAMES = ['console.js', 'account.js', 'style.css', 'icon.svg'] as const

export type FileName = (typeof FILE_NAMES)[number]

/** The content of each of {@link FILE_NAMES}. */
export type BrowserFiles = ReadonlyMap<string, Uint8Array>

const BROWSER_FOLDER = new URL('../browser/', import.meta.url)

/** Bundles the source by esbuild, one file for each page. The package has what this makes. */
export async function bundleSource(): Promise<BrowserFiles> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: ['console.tsx', 'account.tsx', 'style/style.css'].map((name) =>
      fileURLToPath(new URL(name, BROWSER_FOLDER)),
    ),
    outdir: '/',
    entryNames: '[name]',
    write: false,
    bundle: true,
    format: 'esm',
    minify: true,
    target: 'es2022',
    legalComments: 'none',
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['oidc-provider-impersonation'],
    logLevel: 'silent',
  })
  const iconFile = new URL('icon.svg', BROWSER_FOLDER)
  const made = outputFiles.map(({ path, contents }) => [basename(path), contents] as const)
  return new Map([...made, ['icon.svg', await readFile(iconFile)]])
}
