// Writes the modules of `oidc-provider-impersonation/browser`: few and small, since pages without a
// build step load them as they are. What only an impersonation needs is in a chunk of its own.
//   node scripts/bundle-browser.ts [folder]
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = new URL('..', import.meta.url)
const [folder = fileURLToPath(new URL('dist/browser', root))] = process.argv.slice(2)

await build({
  entryPoints: [fileURLToPath(new URL('src/browser/index.ts', root))],
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  chunkNames: '[name]',
  external: ['oauth4webapi'],
  minify: true,
  // Browsers since 2022. esbuild adds no missing functions: `lib` in src/browser/tsconfig.json has
  // those that they know. Older ones lack `AbortSignal.timeout`.
  target: ['chrome103', 'firefox102', 'safari16'],
  logLevel: 'warning',
})
