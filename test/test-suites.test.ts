import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { filesOf, SUITES } from '../scripts/test-suites.ts'

const ROOT = join(import.meta.dirname, '..')
const TESTS =
  '{bench,examples,packages,src,test}/**/*.{test,proof,e2e,framework,recipe,server,site}.ts'

/** Every file whose name says that it has tests. */
const files = globSync(TESTS, { cwd: ROOT, exclude: ['**/node_modules'] })

async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const options = { cwd: ROOT, env: { ...process.env, ...env } }
  return promisify(execFile)(process.execPath, [join(ROOT, program), ...args], options).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (failure: { code: number; stdout: string }) => failure,
  )
}

describe('the suites of npm run test:all', function () {
  this.timeout(60_000)

  it('run every file with tests, and name none that is not there', async () => {
    expect(files).to.have.length.above(300)
    const run = new Set(SUITES.flatMap(filesOf))
    expect(files.filter((file) => !run.has(file))).to.deep.equal([])
    for (const suite of SUITES) {
      for (const pattern of suite.files) {
        expect(filesOf({ ...suite, files: [pattern] }), pattern).to.not.have.lengthOf(0)
      }
    }
  })

  it('fail where one has run no test, and where one that is named is not there', async () => {
    const none = await run('scripts/test-all.ts', ['types', '--grep', 'no test has this title'])
    expect(none.code).to.equal(1)
    expect(none.stdout).to.match(
      /== types: 0 passed, 1 failed, \d+ s\n[\s\S]*\n0 passed, 1 failed\n$/,
    )
    expect(await run('scripts/test-all.ts', ['types', 'typos'])).to.include({ code: 2, stdout: '' })
  })

  it('skip what needs Redis and PostgreSQL, and say why in their titles, but not in CI', async () => {
    const nowhere = {
      CI: '',
      REDIS_URL: 'redis://127.0.0.1:1',
      POSTGRES_URL: 'postgres://postgres@127.0.0.1:1/test',
    }
    const mocha = 'node_modules/mocha/bin/mocha.js'
    const found: string[] = []
    for (const file of SUITES.flatMap((suite) => (suite.name === 'plugin' ? filesOf(suite) : []))) {
      if (/\b(suiteOn|skipWithout)\(/.test(await readFile(join(ROOT, file), 'utf8'))) {
        found.push(file)
      }
    }
    expect(found).to.have.length.above(5)
    const { code, stdout } = await run(mocha, found, { ...nowhere, PATH: '/nonexistent' })
    expect(code, stdout).to.equal(0)
    for (const reason of ['no PostgreSQL at 127.0.0.1:1', 'no Redis at 127.0.0.1:1']) {
      expect(stdout).to.include(`(skipped: ${reason})`)
    }
    const inCi = await run(mocha, ['test/adapters/postgres/setup.test.ts'], { ...nowhere, CI: '1' })
    expect(inCi.code).to.be.above(0)
    expect(inCi.stdout).to.include('ECONNREFUSED').and.not.include('skipped')
  })
})
