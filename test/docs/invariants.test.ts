import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { filesOf as filesOfSuite, SUITES } from '../../scripts/test-suites.ts'
import { filesOf, hasTest } from './cited-tests.ts'

const ROOT = new URL('../../', import.meta.url)

describe('docs/invariants.md', () => {
  let sections: Map<string, string>
  let held: Map<string, string>
  let tests: Map<string, string>

  before(async () => {
    const text = await readFile(new URL('docs/invariants.md', ROOT), 'utf8')
    sections = sectionsOf(text)
    held = sectionsOf(await readFile(new URL('test/invariants.md', ROOT), 'utf8'))
    tests = await filesOf('{test,packages/*/test}/**/*.{test,proof,e2e}.ts')
  })

  it('has tests that exist for each: test/invariants.md', () => {
    expect([...held.keys()]).to.deep.equal([...sections.keys()])
    for (const [invariant, section] of held) {
      const cited = citationsIn(section)
      expect(cited, invariant).to.not.have.lengthOf(0)
      for (const { file, name } of cited) {
        const found = [...tests].filter(([, source]) => hasTest(source, name)).map(([at]) => at)
        expect(found, `${invariant}: "${name}"`).to.include(file)
      }
    }
  })

  it('has a test for each that runs on every push, and for I1 those of several processes', () => {
    for (const [invariant, section] of held) {
      const isHeld = citationsIn(section).some(({ file }) => onPush.has(file))
      expect(isHeld, invariant).to.equal(true)
    }
    for (const proof of ['one-redemption', 'restart']) {
      const file = `test/proofs/${proof}.proof.ts`
      expect(citationsIn(held.get('I1') ?? '').map((cited) => cited.file)).to.include(file)
      expect(onPush.has(file), file).to.equal(true)
    }
  })
})

const onPush = new Set(SUITES.filter(({ when }) => when === 'push').flatMap(filesOfSuite))

/** The sections of a page, by the invariant in their heading. */
function sectionsOf(text: string): Map<string, string> {
  const sections = text.split(/^## /m).slice(1)
  return new Map(sections.map((section) => [section.split(/\s/, 1)[0] ?? '', section]))
}

/** A line each: `` - `test/file.ts`: "a name", "another". `` */
function citationsIn(section: string): { file: string; name: string }[] {
  return [...section.matchAll(/^- (.*)$/gm)].flatMap(([line, cited = '']) => {
    const [, file, names] = /^`((?:packages\/[\w-]+\/)?test\/[^`]+)`: "(.+)"\.$/.exec(cited) ?? []
    if (file === undefined || names === undefined) throw new Error(`test/invariants.md: ${line}`)
    return names.split('", "').map((name) => ({ file, name }))
  })
}
