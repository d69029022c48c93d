import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { resourceServer } from '../../packages/resource-server/src/index.ts'
import { snippetsOf } from '../docs/documents.ts'
import { compile } from '../support/compile.ts'
import { shared } from '../support/shared.ts'

const run = promisify(execFile)
const PAGE = join(import.meta.dirname, '../../docs/testing.md')
const MOCHA = join(import.meta.dirname, '../../node_modules/mocha/bin/mocha.js')
const INSTALLED = join(import.meta.dirname, 'vitest/node_modules')
/** The packages of this repository import the sources of each other. */
const FROM_SOURCES = {
  PATH: process.env.PATH,
  NODE_OPTIONS: '--conditions=oidc-provider-impersonation',
}
const VITEST = join(INSTALLED, 'vitest/vitest.mjs')

describe('docs/testing.md', () => {
  let folder: string

  const snippets = shared(() => snippetsOf('testing.md'))
  before(async () => {
    folder = join(snippets.folder, 'src')
    await symlink(INSTALLED, join(folder, 'node_modules'))
  })

  /** Runs the tests of one framework, as a command line has it, and resolves what it prints. */
  async function test(command: readonly string[]): Promise<string> {
    const env = { ...FROM_SOURCES, NO_COLOR: '1', NODE_ENV: 'test' }
    const { stdout } = await run(process.execPath, command, { cwd: folder, env }).catch((error) => {
      throw new Error(`${command.join(' ')}: ${error.stdout}${error.stderr}`)
    })
    return stdout
  }

  it('compiles by the strictest settings', async () => {
    expect(await compile(['-p', join(snippets.folder, 'tsconfig.json')])).to.equal('')
  })

  it('has no file that is not run below', async () => {
    const files = await readdir(folder)
    expect(files.filter((file) => file.endsWith('.ts'))).to.have.members([
      'orders-api.ts',
      'start.ts',
      'orders.test.ts',
      'policy.ts',
      'policy.test.ts',
      'provider-for-others.ts',
    ])
  })

  /** Puts the import that the page names for a framework in place of that of node:test. */
  async function importFrom(framework: string): Promise<void> {
    const page = await readFile(PAGE, 'utf8')
    const [, line] = new RegExp(`\\| \`(import .+ from '${framework}')\` \\|`).exec(page) ?? []
    if (line === undefined) throw new Error(`docs/testing.md names no import from ${framework}`)
    const file = join(folder, 'orders.test.ts')
    const code = await readFile(file, 'utf8')
    await writeFile(file, code.replace(/^import .* from '(?:node:test|mocha|vitest)'$/m, line))
  }

  it('serves an API in another language, line by line', async () => {
    const child = spawn(process.execPath, ['provider-for-others.ts'], {
      cwd: folder,
      env: { ...FROM_SOURCES, NODE_ENV: 'test' },
    })
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const answer = async () => JSON.parse((await answers.next()).value ?? '')
    const ask = (asked: object) => {
      child.stdin.write(`${JSON.stringify(asked)}\n`)
      return answer()
    }
    const { issuer } = await answer()
    const audience = 'https://api.example.com'
    const { accessToken, id } = await ask({ userId: 'alice', actor: 'olivia', resource: audience })
    const authorization = `Bearer ${accessToken}`
    const caller = await resourceServer({ issuer, audience }).authenticate(authorization)
    expect(caller).to.deep.include({ userId: 'alice', actor: { sub: 'olivia' } })
    expect(await ask({ end: id })).to.deep.equal({ ended: id })
    const current = await fetch(`${issuer}/impersonations/current`, {
      headers: { authorization },
    })
    expect(await current.json()).to.include({ state: 'ended' })
    child.stdin.end()
    expect(await once(child, 'close')).to.deep.equal([0, null])
  })

  it('passes with node:test', async () => {
    expect(await test(['--test', '--test-reporter=tap', 'orders.test.ts'])).to.match(/^# pass 3$/m)
  })

  it('tests a policy without an API', async () => {
    const report = await test(['--test', '--test-reporter=tap', 'policy.test.ts'])
    expect(report).to.match(/^# pass 3$/m)
  })

  it('passes with mocha', async () => {
    await importFrom('mocha')
    expect(await test([MOCHA, 'orders.test.ts'])).to.include('3 passing')
  })

  it('passes with vitest', async () => {
    await importFrom('vitest')
    const conditions = ['oidc-provider-impersonation', 'module', 'node', 'development|production']
    const config = { resolve: { conditions }, ssr: { resolve: { conditions } } }
    await writeFile(
      join(folder, 'vitest.config.mjs'),
      `// A user has the packages built.\nexport default ${JSON.stringify(config)}\n`,
    )
    expect(await test([VITEST, 'run', 'orders.test.ts'])).to.match(/Tests +3 passed/)
  })
})
