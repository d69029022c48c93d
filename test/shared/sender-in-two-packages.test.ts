// The plugin and the guard are installed apart and share no code. They read a sender alike.
import { expect } from 'chai'
import { accessTokenIn } from '../../packages/resource-server/src/request.ts'
import { confirmationFrom } from '../../packages/resource-server/src/sender/sender.ts'
import { parseAuthorization, parseConfirmation, unprovenBinding } from '../../src/shared/sender.ts'

const JKT = 'k'.repeat(43)
const X5T = 'c'.repeat(43)

/** Returns the answer of the guard; `undefined` where it refuses. */
function asGuard(cnf: unknown) {
  try {
    return confirmationFrom(cnf)
  } catch {
    return undefined
  }
}

describe('what an access token is bound to', () => {
  const understood: ReadonlyArray<[cnf: unknown, binding: object]> = [
    [undefined, { jkt: undefined, x5t: undefined }],
    [{ jkt: JKT }, { jkt: JKT, x5t: undefined }],
    [{ 'x5t#S256': X5T }, { jkt: undefined, x5t: X5T }],
    [
      { jkt: JKT, 'x5t#S256': X5T },
      { jkt: JKT, x5t: X5T },
    ],
  ]
  for (const [cnf, binding] of understood) {
    it(`is read by both: ${JSON.stringify(cnf)}`, () => {
      expect(parseConfirmation(cnf)).to.deep.equal(binding)
      expect(asGuard(cnf)).to.deep.equal(binding)
    })
  }

  const unknown: readonly unknown[] = [
    null,
    'x',
    7,
    true,
    [],
    [JKT],
    {},
    { kid: 'x' },
    { jkt: 7 },
    { jkt: '' },
    { jkt: null },
    { jkt: JKT, kid: 'x' },
    { jkt: JKT, 'x5t#S256': 7 },
    { 'x5t#S256': X5T, jwk: {} },
    { 'x5t#S256': '' },
    { jkt: JKT, 'x5t#S256': null },
  ]
  for (const cnf of unknown) {
    it(`I10: is refused by both where it is not understood: ${JSON.stringify(cnf)}`, () => {
      expect(parseConfirmation(cnf)).to.equal(undefined)
      expect(asGuard(cnf)).to.equal(undefined)
    })
  }

  it('I10: is proven by the same key and the same certificate alone', () => {
    const both = { jkt: JKT, x5t: X5T }
    const proving = (jkt: string | undefined, x5t: string | undefined) =>
      unprovenBinding(both, { jkt, x5t: () => x5t })
    expect(proving(JKT, X5T)).to.equal(undefined)
    for (const [jkt, x5t] of [
      [JKT, undefined],
      [undefined, X5T],
      ['other', X5T],
      [JKT, 'other'],
    ]) {
      expect(proving(jkt, x5t)).to.be.a('string')
    }
  })
})

describe('the header Authorization', () => {
  for (const header of ['Bearer abc.def-_~+/==', 'bearer   x', 'DPoP abc', 'dpop abc=']) {
    it(`has a token: ${header}`, () => {
      const value = accessTokenIn(header)
      expect(value).to.be.a('string')
      expect(parseAuthorization(header)?.value).to.equal(value)
    })
  }
  for (const header of ['Bearer', 'Bearer ', 'Bearer a b', 'DPoP ä', 'Bearer a,b']) {
    it(`has none: ${header}`, () => {
      expect(accessTokenIn(header)).to.equal(undefined)
      expect(parseAuthorization(header)).to.deep.include({ value: undefined })
    })
  }
  for (const header of ['', 'Basic abc', 'Bearerabc', 'DPoPabc x', 'Token bearer']) {
    it(`has another scheme, or none: ${header}`, () => {
      expect(parseAuthorization(header)).to.equal(undefined)
    })
  }
})
