import { execFile } from 'node:child_process'
import { readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type Snippets, snippetsOf } from '../docs/documents.ts'
import { compile } from '../support/compile.ts'

const run = promisify(execFile)
const MOCHA = join(import.meta.dirname, '../../node_modules/mocha/bin/mocha.js')
const INSTALLED = join(import.meta.dirname, 'vitest/node_modules')
const VITEST = join(INSTALLED, 'vitest/vitest.mjs')

describe('docs/testing.md', () => {
  let snippets: Snippets
  let folder: string

  before(async () => {
    snippets = await snippetsOf('testing.md')
    folder = join(snippets.folder, 'src')
    await symlink(INSTALLED, join(folder, 'node_modules'))
  })
  after(() => snippets?.[Symbol.asyncDispose]())

  /** Runs the tests of one framework, as a command line has it, and resolves what it prints. */
  async function test(command: readonly string[]): Promise<string> {
    const env = { PATH: process.env.PATH, NO_COLOR: '1', NODE_ENV: 'test' }
    const { stdout } = await run(process.execPath, command, { cwd: folder, env }).catch((error) => {
      throw new Error(`${command.join(' ')}: ${error.stdout}${error.stderr}`)
    })
    return stdout
  }

  it('compiles by the strictest settings', async () => {
    expect(await compile(['-p', join(snippets.folder, 'tsconfig.json')])).to.equal('')
  })

  it('has no file that is not run below', async () => {
    expect((await readdir(folder)).filter((file) => file.endsWith('.ts'))).to.have.members([
      'orders-api.ts',
      'start.ts',
      'orders.node.ts',
      'orders.mocha.ts',
      'orders.test.ts',
    ])
  })

  it('passes with node:test', async () => {
    expect(await test(['--test', '--test-reporter=tap', 'orders.node.ts'])).to.match(/^# pass 3$/m)
  })

  it('passes with mocha', async () => {
    expect(await test([MOCHA, 'orders.mocha.ts'])).to.include('2 passing')
  })

  it('passes with vitest', async () => {
    expect(await test([VITEST, 'run'])).to.match(/Tests +2 passed/)
  })
})
