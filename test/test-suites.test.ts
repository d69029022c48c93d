import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, matchesGlob } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { SUITES, suitesOf } from '../scripts/test-suites.ts'

const ROOT = join(import.meta.dirname, '..')
const TESTS =
  '{bench,examples,packages,src,test}/**/*.{test,proof,e2e,framework,recipe,server,site}.ts'

/** Every file whose name says that it has tests. */
const files = globSync(TESTS, { cwd: ROOT, exclude: ['**/node_modules'] })

async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const options = { cwd: ROOT, env: { ...process.env, REPORT_FILE: '', ...env } }
  return promisify(execFile)(process.execPath, [join(ROOT, program), ...args], options).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (failure: { code: number; stdout: string }) => failure,
  )
}

describe('the suites of npm run test:all', function () {
  this.timeout(60_000)

  it('run every file with tests, and name none that is not there', async () => {
    expect(files).to.have.length.above(300)
    expect(files.filter((file) => suitesOf(file).length === 0)).to.deep.equal([])
    for (const { name, files: globs } of SUITES) {
      for (const pattern of globs.map((each) => each.replace(/^!/, ''))) {
        const isThere = files.some((file) => matchesGlob(file, pattern))
        expect(isThere, `${name}: ${pattern}`).to.equal(true)
      }
    }
  })

  it('fail where one has run no test, and where one that is named is not there', async () => {
    const none = await run('scripts/test-all.ts', ['types', '--grep', 'no test has this title'])
    expect(none.code).to.equal(1)
    expect(none.stdout).to.match(/== types: 0 passed, 1 failed, \d+ s\n\n0 passed, 1 failed\n$/)
    expect(await run('scripts/test-all.ts', ['types', 'typos'])).to.include({ code: 2, stdout: '' })
  })

  it('skip what needs Redis and PostgreSQL, with a line that says why, but not in CI', async () => {
    const nowhere = {
      CI: '',
      REDIS_URL: 'redis://127.0.0.1:1',
      POSTGRES_URL: 'postgres://postgres@127.0.0.1:1/test',
    }
    const mocha = 'node_modules/mocha/bin/mocha.js'
    const found: string[] = []
    for (const file of files) {
      if (!suitesOf(file).some(({ name }) => name === 'plugin')) continue
      if (/\b(suiteOn|skipWithout)\(/.test(await readFile(join(ROOT, file), 'utf8'))) {
        found.push(file)
      }
    }
    expect(found).to.have.length.above(5)
    const { code, stdout } = await run(mocha, found, { ...nowhere, PATH: '/nonexistent' })
    expect(code, stdout).to.equal(0)
    const lines = stdout.match(/^skipped: .*$/gm)
    expect(lines).to.have.lengthOf(1)
    for (const reason of ['no PostgreSQL at 127.0.0.1:1', 'no Redis at 127.0.0.1:1']) {
      expect(lines?.[0]).to.match(new RegExp(`\\d+ tests \\(${reason}\\)`))
    }
    const inCi = await run(mocha, ['test/adapters/postgres/setup.test.ts'], { ...nowhere, CI: '1' })
    expect(inCi.code).to.be.above(0)
    expect(inCi.stdout).to.include('ECONNREFUSED').and.not.include('skipped')
  })
})
