// Writes the modules of `oidc-provider-impersonation-browser`: for pages few and small, since those without a
// build step load them as they are. What only an impersonation needs is in a chunk of its own.
//   node packages/browser/scripts/bundle.ts [folder]
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, transform } from 'esbuild'

const root = new URL('..', import.meta.url)
const [folder = fileURLToPath(new URL('dist', root))] = process.argv.slice(2)

// Browsers since 2022. esbuild adds no missing functions: `lib` in tsconfig.json has
// those that they know. Older ones lack `AbortSignal.timeout`.
const target = ['chrome103', 'firefox102', 'safari16']

const options: BuildOptions = {
  outdir: folder,
  bundle: true,
  format: 'esm',
  minify: true,
  target,
  logLevel: 'warning',
}

await build({
  ...options,
  entryPoints: [fileURLToPath(new URL('src/index.ts', root))],
  splitting: true,
  chunkNames: '[name]-[hash]',
  external: ['oauth4webapi'],
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

// Pages without React load no other file because of it, so it imports the module above as it is.
await build({
  ...options,
  entryPoints: [fileURLToPath(new URL('src/react.ts', root))],
  external: ['react'],
  plugins: [
    {
      name: 'the module beside it',
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.\/index\.ts$/ }, () => ({ path: './index.js', external: true })),
    },
  ],
})

// For servers: readable, since its lines stand in the traces of errors. It shares no file with pages.
await build({
  ...options,
  entryPoints: [fileURLToPath(new URL('src/server.ts', root))],
  external: ['oauth4webapi'],
  minify: false,
  target: 'es2022',
})
