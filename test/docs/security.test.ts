import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { filesOf, hasTest } from './cited-tests.ts'

describe('SECURITY.md', () => {
  it('names tests that exist', async () => {
    const page = await readFile(new URL('../../SECURITY.md', import.meta.url), 'utf8')
    const tests = await filesOf('{test,packages/*/test}/**/*.{test,proof,e2e}.ts')
    const cited = [
      ...page.matchAll(/`((?:packages\/[\w-]+\/)?test\/[^`]+\.ts)`: "(.+?)"(?=;| \|)/g),
    ]
    expect(cited).to.have.length.greaterThan(13)
    for (const [, file = '', names = ''] of cited) {
      for (const name of names.split('", "')) {
        expect(hasTest(tests.get(file) ?? '', name), `${file}: "${name}"`).to.equal(true)
      }
    }
  })
})
