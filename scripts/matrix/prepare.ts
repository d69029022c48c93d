import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { install } from '../../test/support/tarball.ts'
import { readmeBlocks } from '../readme.ts'

const run = promisify(execFile)

/** An installed program or package: its path and version. */
export interface Installed {
  readonly path: string
  readonly version: string
}

/** Installs Node with the npm package `node`. Its install script loads the binary. */
export async function installNode(folder: string, version: string): Promise<Installed> {
  const home = join(folder, `node-${version}`)
  await mkdir(home)
  const manifest = { private: true, allowScripts: { node: true } }
  await writeFile(join(home, 'package.json'), JSON.stringify(manifest))
  await install(home, [`node@${version}`])
  const path = join(home, 'node_modules/node/bin/node')
  const { stdout } = await run(path, ['--version'])
  return { path, version: stdout.trim().slice(1) }
}

const BUNDLERS = [
  'esbuild',
  'rollup',
  '@rollup/plugin-commonjs',
  '@rollup/plugin-json',
  '@rollup/plugin-node-resolve',
  '@rollup/plugin-terser',
]

/** Makes a project like `npm init -y`, with the provider of the README and bundles of it. */
export async function prepareProject(
  folder: string,
  tarball: string,
  oidcProvider: string,
): Promise<Installed> {
  const path = join(folder, `project-${oidcProvider.replaceAll(/[^\d.]+/g, '-')}`)
  await mkdir(path)
  const manifest = { name: 'project', version: '1.0.0', type: 'commonjs', private: true }
  await writeFile(join(path, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(path, 'server.mjs'), readmeBlocks().after)
  const packages = [tarball, `oidc-provider@${oidcProvider}`, 'koa', 'koa-mount', ...BUNDLERS]
  await install(path, packages)
  const bundle = new URL('bundle.mjs', import.meta.url)
  await writeFile(join(path, 'bundle.mjs'), await readFile(bundle))
  await run(process.execPath, ['bundle.mjs'], { cwd: path })
  const installed = join(path, 'node_modules/oidc-provider/package.json')
  return { path, version: JSON.parse(await readFile(installed, 'utf8')).version }
}
