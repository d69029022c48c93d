import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { certificate, otherCertificate } from '../../../../test/support/certificates.ts'
import { athOf } from '../../../../test/support/dpop.ts'
import { shared } from '../../../../test/support/shared.ts'
import { AUDIENCE } from '../../../../test/support/token-issuer.ts'
import { type ApiRequest, type Certificate, resourceServer } from '../../src/index.ts'
import { expectAlice, expectRefused, refusal, trouble } from '../refusal.ts'
import { BASE, boundClient } from './bound-client.ts'

const parsed = new X509Certificate(certificate)
const thumbprint = parsed.fingerprint256
const INVALID = { error: 'invalid_token' }
const x5t = Buffer.from(thumbprint.replaceAll(':', ''), 'hex').toString('base64url')

describe('the guard: access tokens that are bound to a certificate (RFC 8705 §3)', () => {
  let bound: string

  const client = shared(boundClient)
  before(async () => {
    bound = await client.tokens.token({ cnf: { 'x5t#S256': x5t } })
  })

  interface Connection extends ApiRequest {
    readonly shown: unknown
  }

  const newGuard = (options = {}) =>
    resourceServer({
      issuer: client.tokens.issuer,
      audience: AUDIENCE,
      mTLS: { getCertificate: ({ shown }: Connection) => shown as Certificate },
      ...options,
    })

  const over = (shown: unknown, authorization = `Bearer ${bound}`): Connection => ({
    shown,
    method: 'GET',
    url: '/orders',
    headers: { authorization },
  })

  it('the same certificate lets it in: PEM, DER, parsed, in a chain, or later', async () => {
    const der = new Uint8Array(parsed.raw)
    const chain = `${certificate}\n${otherCertificate}`
    for (const shown of [certificate, der, parsed.raw, parsed, chain, Promise.resolve(parsed)]) {
      await expectAlice(newGuard().authenticate(over(shown)))
    }
  })

  it('without it, or with another, the token is invalid', async () => {
    const other = new X509Certificate(otherCertificate)
    for (const shown of [undefined, null, '', otherCertificate, other, other.raw]) {
      const refused = await refusal(newGuard().authenticate(over(shown)))
      expect([refused.status, refused.challenge('api')]).to.deep.equal([
        401,
        'Bearer realm="api", error="invalid_token", error_description="access token is not bound to the client certificate of this request"',
      ])
    }
  })

  it('shown to a guard that cannot see certificates, or as a header alone, it is refused', async () => {
    const blind = newGuard({ mTLS: undefined })
    await expectRefused(blind.authenticate(over(certificate)), INVALID)
    const asked: unknown[] = []
    const api = newGuard({ mTLS: { getCertificate: (request: unknown) => asked.push(request) } })
    await expectRefused(api.authenticate(`Bearer ${bound}`), INVALID)
    expect(asked).to.deep.equal([])
  })

  it('a certificate does no harm to a token that is not bound to one', async () => {
    const unbound = `Bearer ${await client.tokens.token()}`
    await expectAlice(newGuard().authenticate(over(certificate, unbound)))
  })

  it('what is no certificate is trouble of the API: no 401, and nothing passes', async () => {
    for (const shown of ['garbage', {}, Buffer.from('x'), 1]) {
      await trouble(newGuard().authenticate(over(shown)))
    }
  })

  it('a token that is bound to a key as well needs both', async () => {
    const token = await client.tokens.token({
      cnf: { jkt: client.key.thumbprint, 'x5t#S256': x5t },
    })
    const api = newGuard({ dPoP: { baseUrl: BASE } })
    const dpop = await client.proof({ ath: athOf(token) })
    const shown = (scheme: string, cert: unknown, headers = {}) => {
      const request = over(cert, `${scheme} ${token}`)
      return { ...request, headers: { ...request.headers, ...headers } }
    }
    const wrong = [
      shown('DPoP', undefined, { dpop }),
      shown('DPoP', otherCertificate, { dpop }),
      shown('DPoP', certificate),
      shown('Bearer', certificate, { dpop }),
    ]
    for (const request of wrong) {
      await expectRefused(api.authenticate(request), { status: 401 })
    }
    const plain = over(certificate, `DPoP ${bound}`)
    await expectRefused(api.authenticate(plain), INVALID)
    // None of them has used the proof up.
    const both = shown('DPoP', certificate, { dpop })
    await expectAlice(api.authenticate(both))
    for (const options of [{ mTLS: undefined }, { dPoP: undefined }]) {
      const half = newGuard({ dPoP: { baseUrl: BASE }, ...options })
      const fresh = { dpop: await client.proof({ ath: athOf(token) }) }
      const asked = half.authenticate(shown('DPoP', certificate, fresh))
      await expectRefused(asked, { status: 401 })
    }
  })
})
