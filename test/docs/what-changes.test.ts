import { readFile } from 'node:fs/promises'
import { expect } from 'chai'

const DOCUMENT = new URL('../../docs/what-changes.md', import.meta.url)

describe('docs/what-changes.md', () => {
  it('names a test for each line', async () => {
    const text = await readFile(DOCUMENT, 'utf8')
    const rows = text.split('\n').filter((line) => /^\|.*[a-z]/.test(line))
    expect(rows).to.have.length.greaterThan(12)
    for (const row of rows) {
      const cited = [...row.matchAll(/`(test\/[^`]+)`: ("[^"]+"(?:, "[^"]+")*)/g)]
      expect(cited, row).to.not.have.lengthOf(0)
      for (const [, file = '', names = ''] of cited) {
        const source = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
        for (const [, name = ''] of names.matchAll(/"([^"]+)"/g)) {
          expect(source.replaceAll("\\'", "'"), row).to.include(name)
        }
      }
    }
  })
})
