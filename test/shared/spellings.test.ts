import { expect } from 'chai'
import { otherSpellings } from '../../src/shared/spellings.ts'

describe('other spellings of an id', () => {
  it('are two, other than the id and each other, in the case of letters alone', () => {
    for (const id of ['ab', 'root', 'User-7', 'ÄÖ']) {
      const spellings = otherSpellings(id)
      expect(new Set([id, ...spellings]).size, id).to.equal(3)
      for (const other of spellings) expect(other.toLowerCase()).to.equal(id.toLowerCase())
    }
  })

  it('are one for one letter, and none where no letter has two cases', () => {
    expect(otherSpellings('a1')).to.deep.equal(['A1'])
    for (const id of ['4711', '', 'ß', '王', '🔑']) {
      expect(otherSpellings(id), id).to.deep.equal([])
    }
  })
})
