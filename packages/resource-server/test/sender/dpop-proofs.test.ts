import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expectRejection } from '../../../../test/adapters/servers.ts'
import { athOf } from '../../../../test/support/dpop.ts'
import { shared } from '../../../../test/support/shared.ts'
import type { ResourceServer } from '../../src/index.ts'
import { expectAlice, expectRefused, refusal } from '../refusal.ts'
import { BASE, boundClient, HTU } from './bound-client.ts'

let api: ResourceServer
const client = shared(boundClient)
before(() => {
  api = client.guardWith({ baseUrl: BASE })
})

describe('the guard: 401 invalid_dpop_proof for a DPoP proof that', () => {
  const now = () => Math.floor(Date.now() / 1000)
  /** Claims of a proof, or the whole header. */
  const wrong: Record<string, object | (() => Promise<string | undefined>)> = {
    'is missing': async () => undefined,
    'came twice, joined by a comma': async () => `${await client.proof()}, ${await client.proof()}`,
    'is of 100 kB': { padding: 'x'.repeat(100_000) },
    'is for another method': { htm: 'POST' },
    'is for a method in small letters': { htm: 'get' },
    'is for a path in other letters': { htu: `${BASE}/Orders` },
    'is for another port': { htu: 'https://api.example.com:8443/orders' },
    'is for http': { htu: 'http://api.example.com/orders' },
    'is for a URL with a user name': { htu: 'https://x@api.example.com/orders' },
    'is for no URL': { htu: '/orders' },
    'is for a list of URLs': { htu: [HTU] },
    'is for another access token': async () =>
      client.proof({ ath: athOf(await client.tokens.token()) }),
    'is for no access token': { ath: undefined },
    'has a number for its jti': { jti: 1 },
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
      const dpop = await (typeof made === 'function' ? made() : client.proof({ ...made }))
      const refused = await refusal(api.authenticate(client.request({ dpop })))
      expect([refused.status, refused.error]).to.deep.equal([401, 'invalid_dpop_proof'])
      expect(refused.challenge('api')).to.match(
        /^DPoP realm="api", error="invalid_dpop_proof", error_description="DPoP proof [^"]+", algs="ES256 Ed25519 EdDSA"$/,
      )
    })
  }
})

describe('the guard: the URL that a DPoP proof must name (RFC 9449 §4.3)', () => {
  const ANOTHER_URL = { message: 'DPoP proof is for another URL' }
  const passes: Array<[what: string, baseUrl: string, url: string, htu: string]> = [
    ['without a query that looks like a path', BASE, '/orders?next=/../\\x', HTU],
    ['a query and a fragment in the proof do not count', BASE, '/orders', `${HTU}?page=2#x`],
    ['upper case in scheme and host', BASE, '/orders', 'HTTPS://API.example.COM/orders'],
    ['the default port in baseUrl', 'https://api.example.com:443', '/orders', HTU],
    ['another port in baseUrl', `${BASE}:8443`, '/orders', `${BASE}:8443/orders`],
    ['an empty path', BASE, '/', BASE],
    ['an empty path and a query in the request', BASE, `${BASE}?page=2`, `${BASE}/`],
    ['two slashes in an absolute request target', BASE, `${BASE}//orders`, `${BASE}//orders`],
    ['percent-encoding in small letters', BASE, '/a%2fb', `${BASE}/a%2Fb`],
    ['percent-encoding that is not needed', BASE, '/%7Eor%64ers', `${BASE}/~orders`],
    ['dots in the proof', BASE, '/orders', `${BASE}/./email/../orders`],
    ['behind a proxy that takes a path away', `${BASE}/v1`, '/orders', `${BASE}/v1/orders`],
    ['the slash at the end of baseUrl', `${BASE}/v1/`, '/orders', `${BASE}/v1/orders`],
    ['two slashes', BASE, '//orders', `${BASE}//orders`],
  ]
  for (const [what, baseUrl, url, htu] of passes) {
    it(`is compared in normal form: ${what}`, async () => {
      await client
        .guardWith({ baseUrl })
        .authenticate(client.request({ url, dpop: await client.proof({ htu }) }))
    })
  }

  const refused: Array<[what: string, url: string, htu: string]> = [
    ['an encoded slash is no slash', '/a%2Fb', `${BASE}/a/b`],
    ['a path that leads back to another one', '/email/../orders', HTU],
    ['the same, at its end', '/orders/email/..', `${BASE}/orders/`],
    ['a backslash inside', '/email\\..\\orders', HTU],
    ['no path', '*', `${BASE}/*`],
    ['no request target', '', `${BASE}/`],
    ['a name that begins like ours', '.evil.example/', 'https://api.example.com.evil.example/'],
    ['a backslash before the path', 'https://api.example.com\\email/orders', HTU],
    [
      'the server that an absolute request target names',
      'https://other.example/orders',
      'https://other.example/orders',
    ],
    ['a host in the place of a path', '@other.example/orders', 'https://other.example/orders'],
  ]
  for (const [what, url, htu] of refused) {
    it(`is not believed: ${what}`, async () => {
      const dpop = await client.proof({ htu })
      await expectRefused(api.authenticate(client.request({ url, dpop })), ANOTHER_URL)
    })
  }

  it('is not taken from a header that a proxy might set', async () => {
    const htu = 'https://other.example.com/orders'
    const shown = await client.proven({ htu })
    const proxy = { 'x-forwarded-host': 'other.example.com', 'x-forwarded-proto': 'https' }
    const headers = { ...shown.headers, ...proxy }
    await expectRefused(api.authenticate({ ...shown, headers }), ANOTHER_URL)
  })

  it('is never the lack of one: no URL in the request, and none in the proof', async () => {
    const dpop = await client.proof({ htu: 'orders' })
    const { headers: unnamed } = await client.proven({ htu: `${BASE}/` })
    for (const request of [
      client.request({ url: '*', dpop }),
      client.request({ url: '/../orders', dpop }),
      { method: 'GET', headers: unnamed },
    ]) {
      await expectRefused(api.authenticate(request), ANOTHER_URL)
    }
    const { headers } = await client.proven({ htm: undefined })
    const asked = api.authenticate({ url: '/orders', headers })
    await expectRefused(asked, { message: 'DPoP proof is for another method' })
  })

  it('is told to the log where it differs: the operator may have mistyped baseUrl', async () => {
    const htu = `${BASE}/v1/orders`
    const { cause } = await refusal(api.authenticate(await client.proven({ htu })))
    expect(cause).to.deep.equal({ htu, expected: HTU })
  })

  it('can be said by a function of the request', async () => {
    const tenants = client.guardWith({
      getUrl: ({ headers, url }) => `https://${Reflect.get(headers, 'x-tenant')}.example${url}`,
    })
    const dpop = await client.proof({ htu: 'https://acme.example/orders' })
    const shown = client.request({ url: '/orders?x', dpop })
    const at = (tenant: string) =>
      tenants.authenticate({ ...shown, headers: { ...shown.headers, 'x-tenant': tenant } })
    await expectRefused(at('other'), { status: 401 })
    await expectAlice(at('acme'))
  })

  it('a function that answers no URL is trouble of the API, not of the proof', async () => {
    const request = await client.proven()
    for (const answer of ['/orders', 'ftp://x/', undefined]) {
      const guard = client.guardWith({ getUrl: () => String(answer) })
      await expectRejection(
        guard.authenticate(request),
        TypeError,
        'resourceServer.dPoP.getUrl must answer an absolute',
      )
    }
  })
})
