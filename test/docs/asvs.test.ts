import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { filesOf, hasTest } from './cited-tests.ts'

describe('test/asvs.md', () => {
  it('names tests that exist, for each item', async () => {
    const page = await readFile(new URL('../asvs.md', import.meta.url), 'utf8')
    const tests = await filesOf('{test,packages/*/test}/**/*.{test,proof,e2e}.ts')
    const rows = page.split('\n').filter((line) => /^\| \d/.test(line))
    expect(rows).to.have.length.greaterThan(10)
    for (const row of rows) {
      const cited = [
        ...row.matchAll(/`((?:packages\/[\w-]+\/)?test\/[^`]+\.ts)`: "(.+?)"(?=;| \|)/g),
      ]
      expect(cited, row).to.not.have.lengthOf(0)
      for (const [, file = '', names = ''] of cited) {
        for (const name of names.split('", "')) {
          expect(hasTest(tests.get(file) ?? '', name), `${file}: "${name}"`).to.equal(true)
        }
      }
    }
  })
})
