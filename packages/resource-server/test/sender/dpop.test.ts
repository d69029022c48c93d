import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { athOf, dpopKey } from '../../../../test/support/dpop.ts'
import { shared } from '../../../../test/support/shared.ts'
import { AUDIENCE } from '../../../../test/support/token-issuer.ts'
import { type ResourceServer, resourceServer } from '../../src/index.ts'
import { expectAlice, expectRefused, refusal } from '../refusal.ts'
import { BASE, boundClient, HTU } from './bound-client.ts'

describe('the guard: access tokens that are bound to a key (RFC 9449 §7)', () => {
  let api: ResourceServer

  const client = shared(boundClient)
  before(async () => {
    api = client.guardWith({ baseUrl: BASE })
  })

  it('a proof of its key lets it in, also a long one, and one in a Request of the Fetch API', async () => {
    const long = await client.proof({ padding: 'x'.repeat(11_000) })
    const caller = await api.authenticate(client.request({ dpop: long }))
    expect(caller.userId).to.equal('alice')
    expect(caller.claims.cnf).to.deep.equal({ jkt: client.key.thumbprint })
    const headers = new Headers({ authorization: `DPoP ${client.bound}` })
    const judge = () => api.authenticate(new Request('http://localhost/orders?page=2', { headers }))
    headers.set('dpop', await client.proof())
    await expectAlice(judge())
    headers.set('dpop', await client.proof())
    headers.append('dpop', await client.proof())
    await expectRefused(judge(), { message: 'DPoP proof must be one JWT' })
  })

  it('an EdDSA key does as well as one on a curve of NIST, in the words of either name', async () => {
    for (const alg of ['Ed25519', 'EdDSA']) {
      const { privateKey, publicKey } = await generateKeyPair('Ed25519')
      const jwk = await exportJWK(publicKey)
      const token = await client.tokens.token({ cnf: { jkt: await calculateJwkThumbprint(jwk) } })
      const dpop = await new SignJWT({ jti: alg, htm: 'GET', htu: HTU, ath: athOf(token) })
        .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk })
        .setIssuedAt()
        .sign(privateKey)
      const authorization = `DPoP ${token}`
      await expectAlice(api.authenticate(client.request({ authorization, dpop })))
    }
  })

  it('shown as a bearer token it is refused, with its proof too (§7.2)', async () => {
    const authorization = `Bearer ${client.bound}`
    for (const dpop of [undefined, await client.proof()]) {
      const refused = await refusal(api.authenticate(client.request({ authorization, dpop })))
      expect(refused.challenge('api')).to.equal(
        'Bearer realm="api", error="invalid_token", error_description="a sender-constrained access token is no bearer token", DPoP realm="api", algs="ES256 Ed25519 EdDSA"',
      )
    }
    for (const header of [authorization, `DPoP ${client.bound}`]) {
      await expectRefused(api.authenticate(header), { status: 401 })
    }
  })

  it('a token that is bound to no key is no DPoP token, whatever proof comes along (§7.1)', async () => {
    const unbound = await client.tokens.token()
    const dpop = await client.proof({ ath: athOf(unbound) })
    const shown = client.request({ authorization: `DPoP ${unbound}`, dpop })
    await expectRefused(api.authenticate(shown), { error: 'invalid_token' })
    // As a bearer token it is what it is.
    const bearer = client.request({ authorization: `Bearer ${unbound}`, dpop })
    await expectAlice(api.authenticate(bearer))
  })

  it('where the guard takes no proofs, a bound token is refused, and DPoP is no scheme', async () => {
    const plain = resourceServer({ issuer: client.tokens.issuer, audience: AUDIENCE })
    const dpop = await client.proof()
    const refused = await refusal(plain.authenticate(client.request({ dpop })))
    expect([refused.error, refused.challenge('api')]).to.deep.equal([
      undefined,
      'Bearer realm="api"',
    ])
    const authorization = `Bearer ${client.bound}`
    const bearer = await refusal(plain.authenticate(client.request({ authorization, dpop })))
    expect(bearer.challenge('api')).to.equal(
      'Bearer realm="api", error="invalid_token", error_description="a sender-constrained access token is no bearer token"',
    )
  })

  it('a good proof by another key: the token is the invalid one (§7.1, figure 16)', async () => {
    const other = await dpopKey()
    const dpop = await other.proof({ htm: 'GET', htu: HTU, ath: athOf(client.bound) })
    const asked = api.authenticate(client.request({ dpop }))
    await expectRefused(asked, { status: 401, error: 'invalid_token' })
  })

  it('a proof in the place of the token is refused, and a malformed header too', async () => {
    const dpop = await client.proof()
    const twice = [`DPoP ${client.bound}`, `DPoP ${client.bound}`]
    const long = `DPoP ${'x'.repeat(100_000)}`
    for (const authorization of [`DPoP ${dpop}`, `DPoP ${client.bound},x`, twice, long]) {
      const refused = await refusal(api.authenticate(client.request({ authorization, dpop })))
      expect([refused.status, refused.error]).to.deep.equal([401, 'invalid_token'])
      expect(refused.challenge('api')).to.match(/^DPoP realm="api", error="invalid_token", /)
    }
    await expectAlice(api.authenticate(client.request({ dpop })))
  })

  // Each that is not understood: test/shared/sender-in-two-packages.test.ts.
  it('a cnf that is not understood is refused, and never taken for none', async () => {
    const token = await client.tokens.token({ cnf: { jkt: client.key.thumbprint, jwk: {} } })
    for (const scheme of ['Bearer', 'DPoP']) {
      const dpop = await client.proof({ ath: athOf(token) })
      const shown = client.request({ authorization: `${scheme} ${token}`, dpop })
      await expectRefused(api.authenticate(shown), {
        error: 'invalid_token',
        message: 'access token is bound in a way that is not known here',
      })
    }
  })

  it('a jti is used up by its key alone, and by a proof that was good', async () => {
    const jti = randomUUID()
    const bad = await client.proven({ jti, htm: 'POST' })
    await expectRefused(api.authenticate(bad), { status: 401 })
    await api.authenticate(await client.proven({ jti }))
    const again = api.authenticate(await client.proven({ jti }))
    await expectRefused(again, { message: 'DPoP proof was used before' })
    const other = await dpopKey()
    const token = await client.tokens.token({ cnf: { jkt: other.thumbprint } })
    const dpop = await other.proof({ htm: 'GET', htu: HTU, ath: athOf(token), jti })
    await api.authenticate(client.request({ authorization: `DPoP ${token}`, dpop }))
  })

  it('maxAge says how far iat may be away, either side', async () => {
    const now = Math.floor(Date.now() / 1000)
    const patient = client.guardWith({ baseUrl: BASE, maxAge: 300 })
    const strict = client.guardWith({ baseUrl: BASE, maxAge: 10 })
    for (const [guard, right, wrong] of [
      [patient, 290, 310],
      [api, 50, 70],
      [strict, 5, 20],
    ] as const) {
      const judged = async (iat: number) => guard.authenticate(await client.proven({ iat }))
      for (const iat of [now - right, now + right]) await judged(iat)
      for (const iat of [now - wrong, now + wrong]) {
        await expectRefused(judged(iat), { message: 'DPoP proof is not of this time' })
      }
    }
  })

  it('the algorithms of proofs are an option, and are told', async () => {
    const picky = client.guardWith({ baseUrl: BASE, algorithms: ['PS256', 'ES384'] })
    const refused = await refusal(picky.authenticate(await client.proven()))
    expect(refused.error).to.equal('invalid_dpop_proof')
    expect(refused.challenge('api')).to.include('algs="PS256 ES384"')
  })
})
