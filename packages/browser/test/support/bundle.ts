import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { newFolder } from '../../../../test/support/folder.ts'
import { builtKit } from './built-kit.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** Packages in place of others. */
export type Aliases = Readonly<Record<string, string>>

const FOR_PAGES = { format: 'esm', splitting: true } satisfies BuildOptions
/** `node -` takes such a script. */
const FOR_NODE = { format: 'cjs', platform: 'node' } satisfies BuildOptions

/** Bundles files. Returns scripts by path: `/main.js` is the first. */
export async function bundle(
  files: ReadonlyMap<string, string>,
  aliases: Aliases,
  target: 'page' | 'node' = 'page',
): Promise<Record<string, string>> {
  const folder = newFolder()
  for (const [name, text] of files) await writeFile(join(folder, name), text)
  const main = [...files.keys()].find((name) => /^main\.jsx?$/.test(name)) ?? ''
  const { outputFiles } = await build({
    entryPoints: [join(folder, main)],
    outdir: folder,
    write: false,
    bundle: true,
    ...(target === 'node' ? FOR_NODE : FOR_PAGES),
    jsx: 'automatic',
    alias: {
      ...aliases,
      'oidc-provider-impersonation-browser/react': join(await builtKit(), 'react.js'),
      'oidc-provider-impersonation-browser': join(await builtKit(), 'index.js'),
    },
    // In this order: the second also has the React that React DOM 18 asks npm for.
    nodePaths: [
      join(ROOT, 'node_modules'),
      join(ROOT, 'packages/browser/test/frameworks/node_modules'),
    ],
    // React calls effects twice only in this mode.
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'error',
  })
  return Object.fromEntries(
    outputFiles.map(({ path, text }) => [`/${relative(folder, path)}`, text]),
  )
}
