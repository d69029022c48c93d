import { expect } from 'chai'
import { impersonationUrl } from '../src/index.ts'
import { LINK_NAMES, parseLink, takeParts } from '../src/link.ts'

const SHOP = 'https://shop.example.com/orders?tab=1'
const TOKEN = 'qm0eHfkJvZ0zBqKOkZ4m6C1p6bM0dXw3l9uT5aWcY7E'

/** A fragment, and what is left of it where it is no link that can be used. */
const DAMAGED: ReadonlyArray<readonly [fragment: string, rest: string]> = [
  ['impersonation', ''],
  ['impersonation=', ''],
  [`impersonation=${TOKEN}&impersonation=${TOKEN}`, ''],
  ['impersonation=%', ''],
  ['impersonation=%ff', ''],
  ['impersonation=a%00b', ''],
  ['impersonation=javascript:alert(1)', ''],
  [`impersonation=${'x'.repeat(1025)}`, ''],
  ['impersonation_actor=olivia', ''],
  ['impersonation_expires=99999999999', ''],
  ['/own?tab=1&impersonation=%&a=%zz', '/own?tab=1&a=%zz'],
]

const OTHERS = [
  '/own?impersonation=x',
  'impersonations=x',
  'impersonation%3Dx',
  '!/orders&page=2',
  'access_token=own&state=own',
  '&&==&',
  'x'.repeat(200_000),
]

describe('impersonationUrl', () => {
  it('puts the subject token and the hints into the fragment', () => {
    const parameters = { subjectToken: TOKEN, actor: 'olivia', expiresAtMs: 1_800_000_000_999 }
    expect(impersonationUrl(SHOP, parameters)).to.equal(
      `${SHOP}#impersonation=${TOKEN}&impersonation_actor=olivia&impersonation_expires=1800000000`,
    )
    expect(impersonationUrl(new URL(SHOP), { subjectToken: TOKEN })).to.equal(
      `${SHOP}#impersonation=${TOKEN}`,
    )
  })

  it('keeps a fragment of the application', () => {
    const link = impersonationUrl(`${SHOP}#/orders?page=2&x`, { subjectToken: TOKEN })
    expect(link).to.equal(`${SHOP}#/orders?page=2&x&impersonation=${TOKEN}`)
    const { rest } = takeParts(new URL(link).hash.slice(1), LINK_NAMES)
    expect(rest).to.equal('/orders?page=2&x')
  })

  it('is read as it was written, whatever the operator is called', () => {
    for (const actor of [
      'a&impersonation=b',
      '#?%=&',
      'Ω 漢字 \u202e',
      ' ',
      '<b>',
      'x'.repeat(255),
    ]) {
      const link = impersonationUrl(SHOP, {
        subjectToken: `${TOKEN}+/==`,
        actor,
        expiresAtMs: 1e12,
      })
      const split = takeParts(new URL(link).hash.slice(1), LINK_NAMES)
      expect(parseLink(split)).to.deep.equal({
        subjectToken: `${TOKEN}+/==`,
        actor,
        expires: 1e9,
      })
    }
  })

  it('takes plain http on this machine alone, as acceptImpersonation does', () => {
    for (const host of ['localhost:3001', '127.0.0.1', '[::1]:80', 'shop.localhost']) {
      const link = impersonationUrl(`http://${host}/`, { subjectToken: TOKEN })
      expect(new URL(link).host, host).to.equal(new URL(`http://${host}`).host)
    }
  })

  it('refuses what makes no link', () => {
    const good = { subjectToken: TOKEN }
    for (const [address, parameters, message] of [
      ['/orders', good, /^applicationUrl must be an absolute https URL/],
      ['http://shop.example.com/', good, /^applicationUrl must be .* an http URL of this machine$/],
      ['http://localhost.evil/', good, /^applicationUrl must be an absolute https URL/],
      ['http://10.0.0.1/', good, /^applicationUrl must be an absolute https URL/],
      [`${SHOP}#impersonation=x`, good, 'applicationUrl must not carry an impersonation yet'],
      [SHOP, { subjectToken: '' }, /^subjectToken must be the string/],
      [SHOP, { subjectToken: 'x'.repeat(1025) }, /^subjectToken must be the string/],
      [SHOP, { ...good, actor: '' }, /^actor must be a string of 1 to 255/],
      [SHOP, { ...good, actor: 'x'.repeat(256) }, /^actor must be a string of 1 to 255/],
      [SHOP, { ...good, expiresAtMs: Number.NaN }, /^expiresAtMs must be milliseconds/],
      [SHOP, { ...good, expiresAtMs: -1 }, /^expiresAtMs must be milliseconds/],
    ] as const) {
      expect(() => impersonationUrl(address, parameters), JSON.stringify(parameters)).to.throw(
        TypeError,
        message,
      )
    }
  })
})

describe('a fragment', () => {
  const parse = (fragment: string) => {
    const { hash } = new URL(`#${fragment}`, SHOP)
    return { hash: hash.slice(1), split: takeParts(hash.slice(1), LINK_NAMES) }
  }

  it('that is damaged is no link, and leaves nothing of it in the address', () => {
    for (const [fragment, rest] of DAMAGED) {
      const { split } = parse(fragment)
      expect(split.taken, fragment.slice(0, 50)).to.not.have.length(0)
      expect(parseLink(split), fragment.slice(0, 50)).to.equal(undefined)
      expect(split.rest, fragment.slice(0, 50)).to.equal(rest)
    }
  })

  it('that is the own one of the application is left as it is', () => {
    for (const fragment of OTHERS) {
      const { hash, split } = parse(fragment)
      expect(split, fragment.slice(0, 50)).to.deep.equal({ rest: hash, taken: [] })
    }
  })
})
