import { execFile } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { join, matchesGlob } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { SUITES, suitesOf } from '../scripts/test-suites.ts'

const ROOT = join(import.meta.dirname, '..')
const MOCHA = join(ROOT, 'node_modules/mocha/bin/mocha.js')
const TEST_ALL = join(ROOT, 'scripts/test-all.ts')

/** Every file whose name says that it has tests. */
async function testFiles(): Promise<string[]> {
  const files: string[] = []
  const pattern =
    '{bench,examples,packages,src,test}/**/*.{test,proof,e2e,framework,recipe,server,site}.ts'
  for await (const file of glob(pattern, { cwd: ROOT, exclude: ['**/node_modules'] })) {
    files.push(file)
  }
  return files
}

describe('the suites of npm run test:all', () => {
  it('run every file with tests', async () => {
    const files = await testFiles()
    expect(files).to.have.length.above(300)
    expect(files.filter((file) => suitesOf(file).length === 0)).to.deep.equal([])
  })

  it('name no file that is not there', async () => {
    const files = await testFiles()
    for (const { name, files: globs } of SUITES) {
      for (const pattern of globs.map((each) => each.replace(/^!/, ''))) {
        const isThere = files.some((file) => matchesGlob(file, pattern))
        expect(isThere, `${name}: ${pattern}`).to.equal(true)
      }
    }
  })
})

interface Run {
  readonly code: number
  readonly stdout: string
}

describe('npm run test:all', function () {
  this.timeout(60_000)
  const run = (...args: string[]): Promise<Run> =>
    promisify(execFile)(process.execPath, [TEST_ALL, ...args], { cwd: ROOT }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      (failure: Run) => failure,
    )

  it('ends with the sum of its suites, and fails where a suite has run no test', async () => {
    const { code, stdout } = await run('types', 'matrix', '--grep', 'no test has this title')
    expect(code).to.equal(1)
    expect(stdout).to.match(/== types: 0 passed, 1 failed, \d+ s\n/)
    expect(stdout).to.match(/\n0 passed, 2 failed\n$/)
  })

  it('runs no suite where one that is named is not there', async () => {
    expect(await run('types', 'typos')).to.include({ code: 2, stdout: '' })
  })

  it('lists what each push and each night run', async () => {
    const names = ({ stdout }: Run) => stdout.match(/^\S+/gm)
    const of = (when: string) =>
      SUITES.filter((suite) => suite.when === when).map(({ name }) => name)
    expect(names(await run('--list', '--push'))).to.deep.equal(of('push'))
    expect(names(await run('--list', '--nightly'))).to.deep.equal(of('nightly'))
  })
})

/** As on a machine where nothing answers, and redis-server is not installed. */
const WITHOUT_SERVERS = {
  PATH: '/nonexistent',
  CI: '',
  REPORT_FILE: '',
  REDIS_URL: 'redis://127.0.0.1:1',
  POSTGRES_URL: 'postgres://postgres@127.0.0.1:1/test',
}

async function runWithoutServers(files: string[], env: NodeJS.ProcessEnv = {}): Promise<Run> {
  const options = { cwd: ROOT, env: { ...WITHOUT_SERVERS, ...env } }
  return promisify(execFile)(process.execPath, [MOCHA, ...files], options).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (failure: Run) => failure,
  )
}

describe('without Redis and PostgreSQL', function () {
  this.timeout(60_000)

  it('the tests of npm test that need one are skipped, with a line that says why', async () => {
    const files: string[] = []
    for (const file of await testFiles()) {
      if (!suitesOf(file).some(({ name }) => name === 'plugin')) continue
      const source = await readFile(join(ROOT, file), 'utf8')
      if (/\b(suiteOn|skipWithout)\(/.test(source)) files.push(file)
    }
    expect(files).to.have.length.above(5)
    const { code, stdout } = await runWithoutServers(files)
    expect(code, stdout).to.equal(0)
    const reasons = ['no PostgreSQL at 127.0.0.1:1', 'no Redis at 127.0.0.1:1', 'no redis-server']
    const lines = stdout.match(/^skipped: .*$/gm)
    expect(lines).to.have.lengthOf(1)
    for (const reason of reasons)
      expect(lines?.[0]).to.match(new RegExp(`\\d+ tests \\(${reason}\\)`))
    expect(lines?.[0]).not.to.include('no reason')
  })

  it('they fail in CI', async () => {
    const file = 'test/adapters/postgres/setup.test.ts'
    const { code, stdout } = await runWithoutServers([file], { CI: 'true' })
    expect(code).to.be.above(0)
    expect(stdout).to.include('ECONNREFUSED').and.not.include('skipped')
  })
})
