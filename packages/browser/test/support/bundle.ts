import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { builtKit } from './built-kit.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** What a bundler makes of these files: scripts by path, of which `/main.js` is the first. */
export async function bundle(files: ReadonlyMap<string, string>): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'impersonation-bundle-'))
  try {
    for (const [name, text] of files) await writeFile(join(folder, name), text)
    const main = [...files.keys()].find((name) => /^main\.jsx?$/.test(name)) ?? ''
    const { outputFiles } = await build({
      entryPoints: [join(folder, main)],
      outdir: folder,
      write: false,
      bundle: true,
      splitting: true,
      format: 'esm',
      jsx: 'automatic',
      alias: {
        'oidc-provider-impersonation-browser/react': join(await builtKit(), 'react.js'),
        'oidc-provider-impersonation-browser': join(await builtKit(), 'index.js'),
      },
      nodePaths: [
        join(ROOT, 'packages/browser/test/frameworks/node_modules'),
        join(ROOT, 'node_modules'),
      ],
      // React calls effects twice only in this mode.
      define: { 'process.env.NODE_ENV': '"development"' },
      logLevel: 'error',
    })
    return Object.fromEntries(
      outputFiles.map(({ path, text }) => [`/${relative(folder, path)}`, text]),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
