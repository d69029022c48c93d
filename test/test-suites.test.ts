import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { filesOf, SUITES } from '../scripts/test-suites.ts'

const ROOT = join(import.meta.dirname, '..')
const TESTS =
  '{bench,examples,packages,src,test}/**/*.{test,proof,e2e,framework,recipe,server,site}.ts'

/** Every file whose name says that it has tests. */
const files = globSync(TESTS, { cwd: ROOT, exclude: ['**/node_modules'] })

describe('the suites of npm run test:all', () => {
  it('run every file with tests, and name none that is not there', () => {
    expect(files).to.have.length.above(300)
    const run = new Set(SUITES.flatMap(filesOf))
    expect(files.filter((file) => !run.has(file))).to.deep.equal([])
    for (const suite of SUITES) {
      for (const pattern of suite.files) {
        expect(filesOf({ ...suite, files: [pattern] }), pattern).to.not.have.lengthOf(0)
      }
    }
  })
})
