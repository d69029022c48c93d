import { expect } from 'chai'
import { parseIssueRequest } from '../../src/issue/request.ts'
import { resolveOptions } from '../../src/options/defaults.ts'
import { boundedText } from '../../src/options/rules.ts'
import { knownMembers } from '../../src/shared/json.ts'

describe('a text of bounded length', () => {
  const refused = (value: unknown, hasLines = false) => {
    try {
      boundedText(3, hasLines)(value, 'reason')
      return undefined
    } catch (error) {
      return (error as TypeError).message
    }
  }

  it('is counted in characters, and not in UTF-16 units', () => {
    expect(boundedText(3)('🔑🔑🔑', 'reason')).to.equal('🔑🔑🔑')
    expect(refused('🔑🔑🔑🔑')).to.equal('reason must have 1 to 3 characters')
    expect(refused('')).to.equal('reason must have 1 to 3 characters')
  })

  it('is a string without control characters and unpaired surrogates', () => {
    expect(refused(1)).to.equal('reason must be a string')
    for (const text of ['a\n', '\0', '\u0085', '\ud800']) {
      expect(refused(text)).to.match(/must not contain control characters or unpaired surrogates/)
    }
  })

  it('may have lines where it is for people, and still no NUL', () => {
    expect(refused('a\nb', true)).to.equal(undefined)
    expect(refused('\0', true)).to.equal('reason must not contain NUL or unpaired surrogates')
    expect(refused('\ud800', true)).to.match(/unpaired surrogates/)
  })
})

describe('an id', () => {
  it('has no blank and no invisible character at either end, and may have one inside', () => {
    const idOf = (value: string) => parseIssueRequest({ userId: value }, resolveOptions({})).userId
    for (const unseen of [
      ' ',
      '\u00a0',
      '\u2003',
      '\u3000',
      '\u200b',
      '\u200d',
      '\ufeff',
      '\u00ad',
    ]) {
      const ends = [`root${unseen}`, `${unseen}root`]
      for (const id of ends) {
        expect(() => idOf(id), JSON.stringify(id)).to.throw(
          'userId must not begin or end with a blank or an invisible character',
        )
      }
      expect(idOf(`ro${unseen}ot`)).to.equal(`ro${unseen}ot`)
    }
  })
})

describe('an object with known members alone', () => {
  it('is refused by its first unknown member, as it can be shown, and a value that is no object', () => {
    const seen: Array<string | undefined> = []
    const note = (unknown?: string) => {
      seen.push(unknown)
      return new RangeError()
    }
    for (const value of [{ a: 1, '<b>\n': 2, c: 3 }, { '': 1 }, [], null, 'a']) {
      expect(() => knownMembers(value, ['a'], note)).to.throw(RangeError)
    }
    expect(seen).to.deep.equal(['<b>?', '', undefined, undefined, undefined])
    expect(knownMembers({ a: 1 }, ['a'], note)).to.deep.equal({ a: 1 })
  })
})
