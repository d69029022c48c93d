import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { filesOf as filesOfSuite, SUITES } from '../../scripts/test-suites.ts'
import { filesOf, hasTest } from './cited-tests.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8')

/** Each item of these pages cites tests: `` `test/file.ts`: "a name", "another" ``. */
const PAGES = ['test/invariants.md', 'test/asvs.md', 'test/what-changes.md']
const CITATION = /`((?:packages\/[\w-]+\/)?test\/[^`]+\.ts)`: "(.+?)"(?=;| \||\.$)/gm
const onPush = new Set(SUITES.filter(({ when }) => when === 'push').flatMap(filesOfSuite))

const itemsOf = (text: string) => text.split('\n').filter((line) => /^- |^\| \d/.test(line))

function citationsIn(text: string) {
  return [...text.matchAll(CITATION)].flatMap(([, file = '', names = '']) =>
    names.split('", "').map((name) => ({ file, name })),
  )
}

/** The sections of a page, by the first word of their heading. */
async function sectionsOf(page: string): Promise<Map<string, string>> {
  const sections = (await read(page)).split(/^## /m).slice(1)
  return new Map(sections.map((section) => [section.split(/\s/, 1)[0] ?? '', section]))
}

describe('the pages that cite tests', () => {
  for (const page of PAGES) {
    it(`name tests that exist, for each item: ${page}`, async () => {
      const tests = await filesOf('{test,packages/*/test}/**/*.{test,proof,e2e}.ts')
      const items = itemsOf(await read(page))
      expect(items).to.have.length.above(10)
      for (const item of items) {
        const cited = citationsIn(item)
        expect(cited, item).to.not.have.lengthOf(0)
        for (const { file, name } of cited) {
          expect(hasTest(tests.get(file) ?? '', name), `${file}: "${name}"`).to.equal(true)
        }
      }
    })
  }

  it('have each invariant with a test of every push, and I1 with those of several processes', async () => {
    const held = await sectionsOf('test/invariants.md')
    expect([...held.keys()]).to.deep.equal([...(await sectionsOf('docs/invariants.md')).keys()])
    for (const [invariant, section] of held) {
      const files = citationsIn(section).map(({ file }) => file)
      expect(
        files.filter((file) => onPush.has(file)),
        invariant,
      ).to.not.have.lengthOf(0)
      if (invariant !== 'I1') continue
      const proofs = ['one-redemption', 'restart'].map((name) => `test/proofs/${name}.proof.ts`)
      expect(files).to.include.members(proofs)
      expect([...onPush]).to.include.members(proofs)
    }
  })

  it('have each line of docs/what-changes.md, by its first words', async () => {
    const [rows, lines] = [
      itemsOf(await read('docs/what-changes.md')),
      itemsOf(await read('test/what-changes.md')),
    ]
    expect(rows).to.have.length.greaterThan(30)
    const starts = lines.map((line) => /^- .+?(?= …: )/.exec(line)?.[0].replace('../docs/', ''))
    expect(rows.map((row, index) => row.slice(0, starts[index]?.length))).to.deep.equal(starts)
  })
})
