import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { decodeJwt } from 'jose'
import manifest from '../package.json' with { type: 'json' }
import { readmeBlocks } from '../scripts/readme.ts'
import { freePort } from './adapters/servers.ts'
import { runReadmeCommands } from './resource-servers/readme.ts'
import { newFolder } from './support/folder.ts'
import { launch, type Program } from './support/program.ts'
import { signIn } from './support/sign-in.ts'
import { install, packInto } from './support/tarball.ts'

const run = promisify(execFile)
const RANGE = manifest.peerDependencies['oidc-provider']
const [, OLDEST = ''] = /^>=(\S+)/.exec(RANGE) ?? []
const NODES = ['22.13.0', '24', '26']
/** In an ES module, esbuild's output needs `require` for Node's own modules. */
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)`
/** Uses every entry from CommonJS. */
const COMMONJS = `
for (const name of JSON.parse(process.argv[1])) {
  if (Object.keys(require(name)).length === 0) throw new Error(name + ' exports nothing')
}
`

describe('the packed plugin, on every supported Node.js', function () {
  this.timeout(600_000)
  const folder = newFolder()
  let tarball: string
  const nodes = new Map<string, string>()

  before(async () => {
    tarball = (await packInto(folder)).path
    for (const version of NODES) {
      const home = await project(`node-${version}`, { allowScripts: { node: true } })
      await install(home, [`node@${version}`])
      nodes.set(version, join(home, 'node_modules/node/bin/node'))
    }
  })

  for (const oidcProvider of [OLDEST, RANGE]) {
    describe(`with oidc-provider ${oidcProvider}`, () => {
      let path: string
      before(async () => {
        path = await project(`with-${oidcProvider.replaceAll(/[^\d.]+/g, '-')}`, {})
        await writeFile(join(path, 'server.mjs'), readmeBlocks().after)
        await install(path, [tarball, `oidc-provider@${oidcProvider}`, 'koa', 'koa-mount'])
        await bundle(path)
      })

      for (const node of NODES) {
        it(`runs the README, and a bundle of it, on Node.js ${node}`, async () => {
          for (const file of ['server.mjs', 'kept.mjs']) {
            await using program = await start(nodes.get(node), path, file)
            await impersonate(program)
          }
        })

        it(`has every entry for CommonJS on Node.js ${node}`, async () => {
          const { name, exports } = JSON.parse(
            await readFile(join(path, 'node_modules', manifest.name, 'package.json'), 'utf8'),
          )
          const entries = Object.keys(exports).filter((entry) => !entry.endsWith('.json'))
          const names = JSON.stringify(entries.map((entry) => name + entry.slice(1)))
          await run(nodes.get(node) ?? '', ['--eval', COMMONJS, names], { cwd: path })
        })
      }
    })
  }

  async function project(name: string, more: object): Promise<string> {
    const path = join(folder, name)
    await mkdir(path)
    await writeFile(join(path, 'package.json'), JSON.stringify({ private: true, ...more }))
    return path
  }
})

async function bundle(path: string): Promise<void> {
  await build({
    absWorkingDir: path,
    entryPoints: ['server.mjs'],
    outfile: 'kept.mjs',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    banner: { js: REQUIRE },
    logLevel: 'error',
    minify: true,
    keepNames: true,
  })
}

async function start(node: string | undefined, cwd: string, file: string): Promise<Program> {
  const PORT = String(await freePort())
  const environment = { PORT, BASE_URL: `http://localhost:${PORT}`, NODE_ENV: '' }
  return launch([node ?? '', file], environment, cwd)
}

/** Runs the commands of the README at another port. */
async function impersonate({ base }: Program): Promise<void> {
  const { access_token } = await signIn({ issuer: `${base}/oidc` }, 'olivia')
  const token = await runReadmeCommands(base, access_token)
  const { sub, act, aud, impersonation_context } = decodeJwt(token)
  assert.deepEqual(
    { sub, act, aud, impersonation_context },
    {
      sub: 'alice',
      act: { sub: 'olivia' },
      aud: 'https://shop.example.com/orders',
      impersonation_context: { ticket_id: 'SUP-123', reason: 'Order lost in the post' },
    },
  )
}
