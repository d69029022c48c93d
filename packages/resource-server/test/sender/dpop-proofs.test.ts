import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { athOf } from '../../../../test/support/dpop.ts'
import { shared } from '../../../../test/support/shared.ts'
import type { ResourceServer } from '../../src/index.ts'
import { BASE, boundClient, HTU, refusal } from './bound-client.ts'

describe('the guard: 401 invalid_dpop_proof for a DPoP proof that', () => {
  let api: ResourceServer

  const client = shared(() => boundClient())
  before(async () => {
    api = client.guardWith({ baseUrl: BASE })
  })

  const now = () => Math.floor(Date.now() / 1000)
  const wrong: Record<string, () => Promise<string | undefined>> = {
    'is missing': async () => undefined,
    'came twice, joined by a comma': async () => `${await client.proof()}, ${await client.proof()}`,
    'is of 100 kB': async () => client.proof({ padding: 'x'.repeat(100_000) }),
    'is for another method': () => client.proof({ htm: 'POST' }),
    'is for a method in small letters': () => client.proof({ htm: 'get' }),
    'is for a path in other letters': () => client.proof({ htu: `${BASE}/Orders` }),
    'is for another port': () => client.proof({ htu: 'https://api.example.com:8443/orders' }),
    'is for http': () => client.proof({ htu: 'http://api.example.com/orders' }),
    'is for a URL with a user name': () =>
      client.proof({ htu: 'https://x@api.example.com/orders' }),
    'is for no URL': () => client.proof({ htu: '/orders' }),
    'is for a list of URLs': () => client.proof({ htu: [HTU] }),
    'is for another access token': async () =>
      client.proof({ ath: athOf(await client.tokens.token()) }),
    'is for no access token': () => client.proof({ ath: undefined }),
    'has a number for its jti': () => client.proof({ jti: 1 }),
    'expired in its own words': () => client.proof({ exp: now() - 1 }),
    'is of type JWT': () => signed({ typ: 'JWT' }),
    'has no key': () => signed({ jwk: undefined }),
    'has a private key': async () => {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true })
      return signed({ jwk: await exportJWK(privateKey) }, 'ES256', privateKey)
    },
    'has a shared secret': async () => {
      const secret = Buffer.from('secret'.repeat(8))
      const jwk = { kty: 'oct', k: secret.toString('base64url') }
      return signed({ jwk }, 'HS256', secret)
    },
    'has no signature': async () => {
      const [header = '', payload] = (await client.proof()).split('.')
      const { jwk } = JSON.parse(Buffer.from(header, 'base64url').toString())
      const none = JSON.stringify({ alg: 'none', typ: 'dpop+jwt', jwk })
      return `${Buffer.from(none).toString('base64url')}.${payload}.`
    },
    'has the signature of another': async () => {
      const [header, payload] = (await client.proof()).split('.')
      return `${header}.${payload}.${(await client.proof()).split('.')[2]}`
    },
    'has a key that no curve has': () =>
      signed({ jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } }),
    'has a key of numbers': () => signed({ jwk: { kty: 'EC', crv: 'P-256', x: 1, y: 2 } }),
  }

  const claims = async () => ({ jti: randomUUID(), htm: 'GET', htu: HTU, ath: athOf(client.bound) })

  /** Signed by a key of its own, and with a header of its own. */
  async function signed(
    header: Record<string, unknown>,
    alg = 'ES256',
    key?: Parameters<SignJWT['sign']>[0],
  ): Promise<string> {
    const { privateKey, publicKey } = await generateKeyPair(key ? 'ES256' : alg)
    const jwk = await exportJWK(publicKey)
    return new SignJWT(await claims())
      .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header })
      .setIssuedAt()
      .sign(key ?? privateKey)
  }

  for (const [what, made] of Object.entries(wrong)) {
    it(what, async () => {
      const refused = await refusal(api.authenticate(client.request({ dpop: await made() })))
      expect([refused.status, refused.error]).to.deep.equal([401, 'invalid_dpop_proof'])
      expect(refused.challenge('api')).to.match(
        /^DPoP realm="api", error="invalid_dpop_proof", error_description="DPoP proof [^"]+", algs="ES256 Ed25519 EdDSA"$/,
      )
    })
  }
})
