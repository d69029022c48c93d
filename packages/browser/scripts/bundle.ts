// Writes the modules of `oidc-provider-impersonation-browser`: few and small, since pages without a
// build step load them as they are. What only an impersonation needs is in a chunk of its own.
//   node packages/browser/scripts/bundle.ts [folder]
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'

const root = new URL('..', import.meta.url)
const [folder = fileURLToPath(new URL('dist', root))] = process.argv.slice(2)

// Browsers since 2022. esbuild adds no missing functions: `lib` in tsconfig.json has
// those that they know. Older ones lack `AbortSignal.timeout`.
const target = ['chrome103', 'firefox102', 'safari16']

await build({
  entryPoints: ['index', 'react'].map((name) => fileURLToPath(new URL(`src/${name}.ts`, root))),
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  chunkNames: '[name]-[hash]',
  external: ['oauth4webapi'],
  minify: true,
  target,
  logLevel: 'warning',
  plugins: [
    {
      name: 'css in templates',
      setup: ({ onLoad }) =>
        onLoad({ filter: /src\/(?:cover|banner\/view)\.ts$/ }, async ({ path }) => {
          const source = await readFile(path, 'utf8')
          const [, css = ''] = /_CSS = `([^`]*)`/.exec(source) ?? []
          const { code } = await transform(css, { loader: 'css', minify: true, target })
          return { contents: source.replace(css, () => code.trim()), loader: 'ts' }
        }),
    },
  ],
})
