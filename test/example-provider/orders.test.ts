import type { RequestListener } from 'node:http'
import { expect } from 'chai'
import { generateKeyPair } from 'jose'
import { quietly } from '../../packages/console/test/support/quietly.ts'
import {
  CHALLENGE,
  ISSUER,
  type Issuer,
  NAMELESS,
  startIssuer,
  type Variation,
} from './orders-issuer.ts'
import { type Answer, type Example, send } from './support.ts'

describe('example provider: orders API', () => {
  let issuer: Issuer
  let api: Example

  before(async () => {
    issuer = await startIssuer()
    api = await issuer.newApi()
  })
  after(async () => {
    await api.close()
    await issuer.close()
  })

  const token = (variation?: Variation) => issuer.token(variation)

  function get(accessToken: string | undefined, base = api.url): Promise<Answer> {
    const headers = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }
    return send(`${base}/orders`, { headers })
  }

  it('answers with the orders of the subject', async () => {
    const { status, headers, body } = await get(await token())
    expect(status).to.equal(200)
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(body).to.have.all.keys('subject', 'customer', 'orders')
    expect(body.subject).to.equal('alice')
    const words = { name: 'Alice Ng', givenName: 'Alice', possessive: 'her' }
    expect(body.customer, 'for the sentences of the shop').to.deep.equal(words)
    expect(JSON.stringify(body.orders)).to.include('A-1001').and.not.include('B-2001')
  })

  it('says who acts', async () => {
    const { body } = await get(await token({ claims: { act: { sub: 'olivia' } } }))
    expect(body).to.include({ subject: 'alice', actor: 'olivia' })
  })

  it('has no orders for who never ordered', async () => {
    for (const sub of ['stranger', '__proto__']) {
      expect((await get(await token({ sub }))).body).to.deep.equal({ subject: sub, orders: [] })
    }
  })

  it('challenges who shows no token, and gives no error code', async () => {
    const { status, headers } = await get(undefined)
    expect(status).to.equal(401)
    expect(headers.get('www-authenticate')).to.equal(CHALLENGE)
  })

  it('wants orders:read, as a whole word', async () => {
    for (const scope of ['orders:write', 'orders:readonly xorders:read', '']) {
      const { status, headers, body } = await get(await token({ claims: { scope } }))
      expect([status, body.error], scope).to.deep.equal([403, 'insufficient_scope'])
      expect(headers.get('www-authenticate')).to.match(
        /^Bearer realm="[^"]+", error="insufficient_scope", .*scope="orders:read"$/,
      )
    }
  })

  async function expectInvalid(accessToken: string, why: string): Promise<void> {
    const { status, headers, body } = await get(accessToken)
    expect([status, body.error], why).to.deep.equal([401, 'invalid_token'])
    expect(headers.get('www-authenticate'), why).to.match(
      /^Bearer realm="[^"]+", error="invalid_token"/,
    )
  }

  it('refuses what is not a JWT', async () => {
    for (const value of ['opaque', 'a.b.c', 'a b', '.']) await expectInvalid(value, value)
  })

  const wrong: [why: string, variation: Variation][] = [
    ['another issuer', { iss: 'https://evil.example.com/oidc' }],
    ['another audience', { aud: 'https://id.example.com/api' }],
    ['an ID token', { typ: 'JWT' }],
    ['an expired token', { exp: '-1s' }],
    ['no subject', { sub: '' }],
    ['no id, by which an impersonation would be known', { claims: { jti: undefined } }],
    ['a sender-constrained token', { claims: { cnf: { jkt: 'x' } } }],
    ['an act that names no actor', { claims: { act: {} } }],
    ['an act that is no object', { claims: { act: 'olivia' } }],
  ]
  for (const [why, variation] of wrong) {
    it(`refuses ${why}`, async () => expectInvalid(await token(variation), why))
  }

  it('refuses a key that the issuer does not publish', async () => {
    const { privateKey } = await generateKeyPair('ES256')
    await expectInvalid(await token({ key: privateKey }), 'foreign key')
  })

  it('refuses another algorithm: none, and the public key as a shared secret', async () => {
    const [, payload] = (await token()).split('.')
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
    await expectInvalid(`${none}.${payload}.`, 'none')
    const secret = new TextEncoder().encode(JSON.stringify(issuer.publicJwk))
    await expectInvalid(await token({ alg: 'HS256', key: secret }), 'HS256')
  })

  it('refuses a token with one character changed', async () => {
    const [header, payload = '', signature] = (await token()).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'bob' })).toString('base64url')
    await expectInvalid(`${header}.${forged}.${signature}`, 'forged')
  })

  it('takes nothing but GET for the list', async () => {
    const { status, headers } = await send(`${api.url}/orders`, { method: 'POST' })
    expect([status, headers.get('allow')]).to.deep.equal([405, 'GET, HEAD'])
  })

  it('refuses impersonated tokens without status, and asks for lists where the keys are', async () => {
    const good = issuer.answerKeys
    const asked: (string | undefined)[] = []
    issuer.answerKeys = (request, response) => {
      asked.push(request.url)
      if (request.url === '/oidc/jwks') good(request, response)
      else response.writeHead(500).end()
    }
    const strict = await issuer.newApi(true)
    const uri = `${ISSUER}/status-lists/${'x'.repeat(22)}`
    const listed = await token({
      claims: { ...NAMELESS, status: { status_list: { idx: 1, uri } } },
    })
    const { stderr } = await quietly(async () => {
      expect((await get(await token({ claims: NAMELESS }), strict.url)).status).to.equal(401)
      expect((await get(await token(), strict.url)).status).to.equal(200)
      expect((await get(listed, strict.url)).status, 'the list cannot be had').to.equal(503)
    })
    expect(stderr).not.to.deep.equal([])
    expect(asked).to.include(new URL(uri).pathname)
    issuer.answerKeys = good
    await strict.close()
  })

  it("answers 503, not 401, when the issuer's keys cannot be had", async () => {
    const log = console.error
    console.error = () => {}
    const good = issuer.answerKeys
    const accessToken = await token()
    const fresh = await issuer.newApi()
    try {
      const failures: RequestListener[] = [
        (_request, response) => response.writeHead(500).end(),
        (_request, response) => response.end('nonsense'),
        (_request, response) => response.end('{}'),
        (request) => request.destroy(),
      ]
      for (const failure of failures) {
        issuer.answerKeys = failure
        const { status, headers, body } = await get(accessToken, fresh.url)
        expect([status, body.error]).to.deep.equal([503, 'temporarily_unavailable'])
        expect(headers.get('www-authenticate')).to.equal(null)
      }
      issuer.answerKeys = good
      expect((await get(accessToken, fresh.url)).status).to.equal(200)
    } finally {
      issuer.answerKeys = good
      console.error = log
      await fresh.close()
    }
  })
})
