import { join } from 'node:path'
import { expect } from 'chai'
import { wrongNamesBelow, wrongNamesIn } from './support/words.ts'

const REPOSITORY = join(import.meta.dirname, '..')

/** The folders whose names are read, and the words that each may still have. Take words away, add none. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  src: [],
  'example-provider': [],
  examples: [],
  bench: [],
  'packages/console/src': [],
  'packages/conformance/src': [],
}

describe('the words of CONTRIBUTING.md', () => {
  for (const [folder, exceptions] of Object.entries(FOLDERS)) {
    describe(`in ${folder}`, () => {
      const wrong = wrongNamesBelow(join(REPOSITORY, folder))

      it('are the words of every name', () => {
        const lines = wrong
          .filter(({ word }) => !exceptions.includes(word))
          .map(({ at, name, word, say }) => `${folder}/${at}: ${name} (${word}): say ${say}`)
        expect(lines, lines.join('\n')).to.deep.equal([])
      })

      it('have no exception that no name needs', () => {
        const found = new Set(wrong.map(({ word }) => word))
        const unused = exceptions.filter((word) => !found.has(word))
        expect(unused, `take them out of FOLDERS: ${unused.join(', ')}`).to.deep.equal([])
      })
    })
  }

  it('are found in every kind of name, and in what a name is made of', () => {
    const text = `
      import { place } from 'elsewhere'
      const MOST = 1, MOST_ROWS = 2, most = 3
      let nextPlace, nextTurn, replaced
      class Room { #isTold = false; tell() {} }
      interface Options { lifecycle: boolean; endLifecycle: boolean }
      const rowOf = (text: string) => JSON.parse(text)
      async function listOf() {}
      const keyOf = ({ key }: { key: string }) => () => { throw key }
      nextPlace.said(rowOf)`
    const found = wrongNamesIn('a.ts', text).map(({ at, name, word }) => `${at} ${name}: ${word}`)
    expect(found).to.deep.equal([
      'a.ts:2 place: place',
      'a.ts:3 MOST: most',
      'a.ts:3 MOST: one word',
      'a.ts:3 MOST_ROWS: most',
      'a.ts:4 nextPlace: place',
      'a.ts:5 Room: room',
      'a.ts:5 isTold: told',
      'a.ts:5 tell: tell',
      'a.ts:6 endLifecycle: lifecycle',
      'a.ts:7 rowOf: …Of',
      'a.ts:8 listOf: …Of',
    ])
  })
})
