import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What browsers load. The scripts have no words: the server puts those of a language before them. */
export const FILE_NAMES = ['page.js', 'console.js', 'style.css', 'icon.svg'] as const

/** The content of each of {@link FILE_NAMES}. */
export type BrowserFiles = ReadonlyMap<string, Uint8Array>

const SOURCE_FOLDER = new URL('../../', import.meta.url)

/** Bundles the source by esbuild, one file for each page. The package has what this makes. */
export async function bundleSource(): Promise<BrowserFiles> {
  const { build } = await import('esbuild')
  const shared = {
    outdir: '/',
    write: false,
    bundle: true,
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'silent',
  } as const
  const pathOf = (name: string) => fileURLToPath(new URL(name, SOURCE_FOLDER))
  const scripts = build({
    ...shared,
    entryPoints: ['web/browser/page.ts', 'pages/console.tsx'].map(pathOf),
    entryNames: '[name]',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['oidc-provider-impersonation'],
  })
  const style = build({
    ...shared,
    entryPoints: [pathOf('web/style/style.css')],
    entryNames: '[name]',
  })
  const made = (await Promise.all([scripts, style])).flatMap(({ outputFiles }) =>
    outputFiles.map(({ path, contents }) => [basename(path), contents] as const),
  )
  return new Map([...made, ['icon.svg', await readFile(pathOf('web/style/icon.svg'))]])
}
