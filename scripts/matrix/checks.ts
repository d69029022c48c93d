import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { impersonate } from './impersonate.ts'
import { start } from './server-process.ts'

const run = promisify(execFile)

export interface Check {
  /** For `--help`. */
  readonly says: string
  /** Rejects if the check fails. */
  run(node: string, project: string): Promise<void>
}

const impersonates = (file: string, says: string): Check => ({
  says,
  async run(node, project) {
    await using server = await start(node, join(project, file))
    await impersonate(server.base)
  },
})

const fails = (file: string, says: string): Check => ({
  says,
  async run(node, project) {
    const outcome = await start(node, join(project, file)).catch((error: Error) => error)
    if (outcome instanceof Error) {
      if (/A minifier renamed the classes of oidc-provider/.test(outcome.message)) return
      throw outcome
    }
    await outcome[Symbol.asyncDispose]()
    throw new Error('it started')
  },
})

const REQUIRE = `
for (const name of JSON.parse(process.argv[1])) {
  if (Object.keys(require(name)).length === 0) throw new Error(name + ' exports nothing')
}
const { Provider } = require('oidc-provider-impersonation')
const { createMemoryAdapter } = require('oidc-provider-impersonation/adapters/memory')
const impersonation = { enabled: true, managementApi: { resource: 'urn:api', clients: ['backend'] } }
const provider = new Provider('http://localhost', {
  adapter: createMemoryAdapter(),
  features: { clientCredentials: { enabled: true }, impersonation },
})
provider.impersonation.check().then(() => console.log('checked'))
`

const required: Check = {
  says: 'require() of every entry from CommonJS, and a provider made of them',
  async run(node, project) {
    const installed = join(project, 'node_modules/oidc-provider-impersonation/package.json')
    const { name, exports } = JSON.parse(await readFile(installed, 'utf8'))
    const entries = Object.keys(exports).filter((entry) => !entry.endsWith('.json'))
    const names = JSON.stringify(entries.map((entry) => name + entry.slice(1)))
    const { stdout } = await run(node, ['--eval', REQUIRE, names], { cwd: project })
    if (!stdout.includes('checked')) throw new Error(`it printed ${stdout}`)
  },
}

/** The columns of the table. */
export const CHECKS = {
  README: impersonates('server.mjs', 'README\'s block as it stands, beside "type": "commonjs"'),
  require: required,
  esbuild: impersonates('esbuild/server.mjs', 'the block as a bundle of esbuild'),
  'esbuild kept': impersonates('esbuild-kept/server.mjs', 'minified, with class names kept'),
  'esbuild renamed': fails('esbuild-renamed/server.mjs', 'minified without: does not start'),
  rollup: impersonates('rollup/server.mjs', 'the block as a bundle of rollup'),
  'rollup kept': impersonates('rollup-kept/server.mjs', 'minified by terser, class names kept'),
  'rollup renamed': fails('rollup-renamed/server.mjs', 'minified without: does not start'),
} as const satisfies Record<string, Check>

export type CheckName = keyof typeof CHECKS
