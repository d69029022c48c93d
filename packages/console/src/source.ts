// The entry if this package runs from its source. The published package has plain JavaScript, and not this file.
import { globSync } from 'node:fs'
import { createRequire, registerHooks, setSourceMapsSupport } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'

compileViews()

export type * from './index.ts'
export const {
  createPermits,
  customerAccountClient,
  InForceError,
  PermitError,
  supportConsole,
  supportConsoleClient,
}: typeof import('./index.ts') = createRequire(import.meta.url)('./index.ts')
export type InForceError = InstanceType<typeof InForceError>
export type PermitError = InstanceType<typeof PermitError>

/** Compiles the views: Node.js strips types, and does not know JSX. */
function compileViews(): void {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const { outputFiles } = buildSync({
    entryPoints: globSync('**/*.tsx', { cwd: folder }),
    absWorkingDir: folder,
    outdir: folder,
    outExtension: { '.js': '.tsx' },
    write: false,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: 'inline',
    logLevel: 'silent',
  })
  const compiled = new Map(
    outputFiles.map(({ path, contents }) => [pathToFileURL(path).href, contents] as const),
  )
  setSourceMapsSupport(true)
  registerHooks({
    load(url, context, next) {
      const source = compiled.get(url)
      return source ? { format: 'module', source, shortCircuit: true } : next(url, context)
    },
  })
}
