import { inflateSync } from 'node:zlib'
import { expect } from 'chai'
import { StatusBits } from '../../src/status-list/sign.ts'
import { LONG, setBits } from '../tokens/serving-process.ts'

/** Section 4.1, the first example: 16 statuses. */
const SHORT = [0, 3, 4, 5, 7, 8, 9, 13, 15]
const LONG_LST =
  'eNrt3AENwCAMAEGogklACtKQPg9LugC9k_ACvreiogEAAKkeCQAAAAAAAAAAAAAAAAAAAIBylgQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAXG9IAAAAAAAAAPwsJAAAAAAAAAAAAAAAvhsSAAAAAAAAAAAA7KpLAAAAAAAAAAAAAAAAAAAAAJsLCQAAAAAAAAAAADjelAAAAAAAAAAAKjDMAQAAAACAZC8L2AEb'

describe('the bits of a status list', () => {
  // Section 4.1: "[…] the blocks being packed into bytes from the least significant bit ("0") to
  // the most significant bit ("7")."
  // Section 4.2: "The value MUST be the base64url-encoded compressed byte array".
  it("are the draft's examples", async () => {
    const short = new StatusBits(16)
    short.set(SHORT)
    expect(await short.encode()).to.equal('eNrbuRgAAhcBXQ')
    const long = new StatusBits(2 ** 20)
    await long.set(LONG)
    const lst = await long.encode()
    expect(inflateSync(Buffer.from(lst, 'base64url'))).to.deep.equal(
      inflateSync(Buffer.from(LONG_LST, 'base64url')),
    )
    expect(setBits(lst)).to.deep.equal(LONG)
    expect(lst.length).to.be.at.most(LONG_LST.length + 20)
  })

  it('are never beyond the end: what is there must not be left out in silence', () => {
    for (const index of [-1, 16, 2 ** 32, 2 ** 53, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new StatusBits(16).set([index]), String(index)).to.throw(RangeError)
    }
    new StatusBits(16).set([0, 15])
  })

  it('have every bit that was set while they were compressed', async () => {
    const bits = new StatusBits(16)
    bits.set([7])
    const first = bits.encode()
    bits.set([9])
    await first
    expect(setBits(await bits.encode())).to.deep.equal([7, 9])
  })
})
