import { expect } from 'chai'
import { randomValue, randomValues } from '../../src/tokens/random-value.ts'

describe('the value of a subject token', () => {
  it('has 256 bits as base64url, and no other has it', () => {
    const values = Array.from({ length: 1000 }, randomValue)
    for (const value of values) expect(value).to.match(/^[A-Za-z0-9_-]{43}$/)
    expect(new Set(values).size).to.equal(1000)
  })

  it('I6: is kept nowhere once it is drawn', () => {
    const pool = Buffer.alloc(4 * 32)
    const draw = randomValues(pool)
    for (let drawn = 0; drawn < 12; drawn += 1) {
      const bytes = Buffer.from(draw(), 'base64url')
      expect(bytes.length).to.equal(32)
      expect(pool.includes(bytes)).to.equal(false)
    }
    expect(pool.equals(Buffer.alloc(4 * 32))).to.equal(true)
  })
})
