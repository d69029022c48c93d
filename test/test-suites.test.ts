import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { filesOf, SUITES } from '../scripts/test-suites.ts'

const ROOT = join(import.meta.dirname, '..')
const TESTS =
  '{bench,examples,packages,src,test}/**/*.{test,proof,e2e,framework,recipe,server,site}.ts'

/** Every file whose name says that it has tests. */
const files = globSync(TESTS, { cwd: ROOT, exclude: ['**/node_modules'] })

describe('the suites of npm run test:all', () => {
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
    const run = async (...args: string[]) => {
      const command = [join(ROOT, 'scripts/test-all.ts'), ...args]
      return promisify(execFile)(process.execPath, command).then(
        () => ({ code: 0, stdout: '' }),
        (failure: { code: number; stdout: string }) => failure,
      )
    }
    const none = await run('types', '--grep', 'no test has this title')
    expect(none.code).to.equal(1)
    expect(none.stdout).to.match(/== types: 0 passed, 1 failed[\s\S]*\n0 passed, 1 failed\n$/)
    expect(await run('types', 'typos')).to.include({ code: 2, stdout: '' })
  })
})
