// The matrix copies this file into its project, which has the bundlers. It writes each bundle into
// its own folder.
import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import nodeResolve from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import { build } from 'esbuild'
import { rollup } from 'rollup'

/** Koa is CommonJS. In an ES module, esbuild's output needs `require` for Node's own modules. */
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)`

/** @param {string} outfile @param {import('esbuild').BuildOptions} [options] */
async function byEsbuild(outfile, options = {}) {
  await build({
    entryPoints: ['server.mjs'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    banner: { js: REQUIRE },
    logLevel: 'error',
    ...options,
  })
}

/** @param {string} file @param {import('rollup').Plugin[]} [minifiers] */
async function byRollup(file, minifiers = []) {
  const resolve = nodeResolve({ preferBuiltins: true, exportConditions: ['node'] })
  const bundle = await rollup({
    input: 'server.mjs',
    plugins: [resolve, commonjs(), json(), ...minifiers],
    onwarn: () => {},
  })
  await bundle.write({ file, format: 'es', inlineDynamicImports: true })
  await bundle.close()
}

await byEsbuild('esbuild/server.mjs')
await byEsbuild('esbuild-kept/server.mjs', { minify: true, keepNames: true })
await byEsbuild('esbuild-renamed/server.mjs', { minify: true })
await byRollup('rollup/server.mjs')
await byRollup('rollup-kept/server.mjs', [terser({ module: true, keep_classnames: true })])
await byRollup('rollup-renamed/server.mjs', [terser({ module: true })])
