import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import {
  decodeStatusList,
  merged,
  type StatusList,
  statusAt,
} from '../../src/status/decode-list.ts'
import vectors from './list-vectors.json' with { type: 'json' }

const lstOf = (bytes: Uint8Array) => deflateSync(bytes).toString('base64url')

/** All statuses of a list. */
function statusesOf(list: StatusList): (number | undefined)[] {
  return Array.from({ length: (list.bytes.length * 8) / list.bits }, (_, n) => statusAt(list, n))
}

// The sentences are of draft-ietf-oauth-status-list-21, as are the vectors.
describe('the guard: decoding a status list', () => {
  // §11.1: "Implementations SHOULD verify correctness using the test vectors given by this
  // specification." Appendix C: "All values that are not mentioned for the examples below can be
  // assumed to be 0 (VALID). All examples are initialized with a size of 2^20 entries."
  for (const { bits, lst, indices, statuses } of vectors) {
    it(`the test vector of ${bits} bit: each of 2^20 statuses`, () => {
      const expected = new Uint8Array(2 ** 20)
      for (const [n, index] of indices.entries()) expected[index] = statuses[n] ?? 0
      const list = decodeStatusList({ bits, lst })
      expect(Buffer.from(expected).equals(Buffer.from(statusesOf(list).map(Number)))).to.equal(true)
      expect(statusAt(list, 2 ** 20)).to.equal(undefined)
    })
  }

  // §4.1: "blocks being packed into bytes from the least significant bit ("0") to the most
  // significant bit ("7")".
  it('the examples of §4.1: of 16 statuses in one bit, and of 12 in two', () => {
    const one = decodeStatusList({ bits: 1, lst: 'eNrbuRgAAhcBXQ' })
    expect(statusesOf(one).join('')).to.equal('1001110111000101')
    const lst = Buffer.from('78da3be9f2130003df0207', 'hex').toString('base64url')
    expect(statusesOf(decodeStatusList({ bits: 2, lst })).join('')).to.equal('120301011233')
  })

  const lst = lstOf(new Uint8Array(16))
  it('is accepted, where none of the following is wrong', () => {
    expect(statusesOf(decodeStatusList({ bits: 8, lst, more: true }))).to.have.lengthOf(16)
  })

  const wrong: Record<string, unknown> = {
    // §4.2: "The allowed values for bits are 1, 2, 4, and 8."
    'bits of 3': { bits: 3, lst },
    'bits of 16': { bits: 16, lst },
    'bits as text': { bits: '1', lst },
    // §4.2: "The value MUST be the base64url-encoded compressed byte array".
    'an empty lst': { bits: 1, lst: '' },
    'lst as a list': { bits: 1, lst: [lst] },
    'base64 with a plus': { bits: 1, lst: `${lst}+` },
    'base64 with padding': { bits: 1, lst: `${lst}==` },
    // §4.1: "compresses the byte array using DEFLATE with the ZLIB data format."
    'bytes that are not compressed': { bits: 1, lst: 'AAAA' },
    gzip: { bits: 1, lst: gzipSync(new Uint8Array(16)).toString('base64url') },
    'DEFLATE without ZLIB': {
      bits: 1,
      lst: deflateRawSync(Buffer.from('x')).toString('base64url'),
    },
    'a stream that was cut off': { bits: 1, lst: lst.slice(0, -8) },
    // One megabyte and one byte, out of about one kilobyte.
    'a bomb': { bits: 1, lst: lstOf(new Uint8Array(2 ** 20 + 1)) },
    null: null,
  }
  for (const [what, claim] of Object.entries(wrong)) {
    it(`${what} is refused`, () => {
      expect(() => decodeStatusList(claim)).to.throw()
    })
  }

  it('a bit of either copy is in the merged list, also where one is longer', () => {
    const copy = (bits: number, ...bytes: number[]) =>
      decodeStatusList({ bits, lst: lstOf(Uint8Array.from(bytes)) })
    expect(merged(undefined, copy(1, 5)).bytes[0]).to.equal(5)
    for (const [one, other] of [
      [copy(1, 1, 2), copy(1, 4)],
      [copy(1, 4), copy(1, 1, 2)],
    ] as const) {
      expect([...merged(one, other).bytes]).to.deep.equal([5, 2])
    }
    expect(() => merged(copy(1, 1), copy(2, 1))).to.throw('bits of a status list must not change')
  })
})
