import { readFile } from 'node:fs/promises'
import { expect } from 'chai'

const ROOT = new URL('../../', import.meta.url)

describe('docs/what-changes.md', () => {
  it('has a test for each line: test/what-changes.md', async () => {
    const page = await readFile(new URL('docs/what-changes.md', ROOT), 'utf8')
    const list = await readFile(new URL('test/what-changes.md', ROOT), 'utf8')
    const rows = page.split('\n').filter((line) => line.startsWith('- '))
    const lines = list.split('\n').filter((line) => line.startsWith('- '))
    expect(rows).to.have.length.greaterThan(30)
    expect(lines).to.have.lengthOf(rows.length)
    for (const [index, row] of rows.entries()) {
      const line = lines[index] ?? ''
      const [, start = ''] = /^- (.+?) …: /.exec(line) ?? []
      expect(start, line).to.not.equal('')
      // The list is in another folder than the page.
      expect(row).to.satisfy(
        (text: string) => text.startsWith(`- ${start.replace('../docs/', '')}`),
        line,
      )
      const cited = [...line.matchAll(/`(test\/[^`]+)`: ("[^"]+"(?:, "[^"]+")*)/g)]
      expect(cited, row).to.not.have.lengthOf(0)
      for (const [, file = '', names = ''] of cited) {
        const source = await readFile(new URL(file, ROOT), 'utf8')
        for (const [, name = ''] of names.matchAll(/"([^"]+)"/g)) {
          expect(source.replaceAll("\\'", "'"), row).to.include(name)
        }
      }
    }
  })
})
