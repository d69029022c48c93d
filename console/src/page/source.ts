import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** What browsers load. */
export const FILE_NAMES = ['console.js', 'account.js', 'style.css', 'icon.svg'] as const

export type FileName = (typeof FILE_NAMES)[number]

const BROWSER_FOLDER = new URL('../browser/', import.meta.url)

/** Bundles the source by esbuild, one file for each page. The package has what this makes. */
export async function bundleSource(): Promise<Record<FileName, Uint8Array>> {
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
  const readContent = (name: FileName): Uint8Array => {
    const file = outputFiles.find(({ path }) => path.endsWith(`/${name}`))
    if (!file) throw new Error(`esbuild made no ${name}`)
    return file.contents
  }
  return {
    'console.js': readContent('console.js'),
    'account.js': readContent('account.js'),
    'style.css': readContent('style.css'),
    'icon.svg': await readFile(new URL('icon.svg', BROWSER_FOLDER)),
  }
}
