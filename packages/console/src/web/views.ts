import { globSync } from 'node:fs'
import { registerHooks, setSourceMapsSupport } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'

const SOURCE_FOLDER = fileURLToPath(new URL('../', import.meta.url))

/**
 * Compiles the views when this package runs from its source: Node.js strips types but does not know
 * JSX. The published package has plain JavaScript and never loads this file.
 */
export function compileViews(): void {
  const { outputFiles } = buildSync({
    entryPoints: globSync('**/*.tsx', { cwd: SOURCE_FOLDER }),
    absWorkingDir: SOURCE_FOLDER,
    outdir: SOURCE_FOLDER,
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
