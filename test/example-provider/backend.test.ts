import { expect } from 'chai'
import {
  type Answer,
  basic,
  type Example,
  exchange,
  postForm,
  postJson,
  send,
  signIn,
  start,
} from './support.ts'

const REQUEST = { userId: 'alice', reason: 'Order lost', ticketId: 'SUP-1' }

describe('example provider: support backend', () => {
  let example: Example
  let olivia: string

  before(async () => {
    example = await start()
    olivia = await signIn(example.url)
  })
  after(() => example.close())

  const ask = (body: unknown, token: string | undefined = olivia): Promise<Answer> =>
    postJson(`${example.url}/support/impersonations`, body, token)

  it('hands the subject token response on as it is', async () => {
    const { status, headers, body } = await ask(REQUEST)
    expect(status).to.equal(201)
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(headers.get('content-type')).to.match(/^application\/json/)
    expect(body).to.have.all.keys('subjectToken', 'expiresIn')
    expect(body.expiresIn).to.equal(600)
  })

  it('gives the token a context of ticket, reason and operator', async () => {
    const { body } = await ask(REQUEST)
    const exchanged = await exchange(example.url, body.subjectToken, olivia)
    const [, payload = ''] = String(exchanged.body.access_token).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    expect(claims.sub).to.equal('alice')
    expect(claims.impersonation_context).to.deep.equal({
      ticket_id: 'SUP-1',
      reason: 'Order lost',
      support_engineer: 'olivia',
    })
  })

  it('challenges who shows no token, and gives no error code', async () => {
    for (const headers of [{}, { authorization: 'Basic b2xpdmlhOng=' }]) {
      const answer = await postJson(
        `${example.url}/support/impersonations`,
        REQUEST,
        undefined,
        headers,
      )
      expect(answer.status).to.equal(401)
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer realm="support"')
    }
  })

  async function expectInvalidToken(token: string): Promise<void> {
    const { status, headers, body } = await ask(REQUEST, token)
    expect([status, body.error]).to.deep.equal([401, 'invalid_token'])
    expect(headers.get('www-authenticate')).to.match(
      /^Bearer realm="support", error="invalid_token"/,
    )
  }

  it('refuses a token that was never issued, or that is none', async () => {
    for (const token of [
      'unknown',
      `${olivia}x`,
      olivia.slice(0, -1),
      'a b',
      '"',
      'eyJhbGciOiJub25lIn0.e30.',
    ]) {
      await expectInvalidToken(token)
    }
  })

  it('refuses a revoked token', async () => {
    const token = await signIn(example.url)
    expect((await ask(REQUEST, token)).status).to.equal(201)
    await postForm(`${example.url}/oidc/token/revocation`, { token, client_id: 'support-tool' })
    await expectInvalidToken(token)
  })

  it('refuses a token of a machine', async () => {
    const { body } = await postForm(
      `${example.url}/oidc/token`,
      { grant_type: 'client_credentials' },
      basic('support-backend', 'support-backend-secret'),
    )
    await expectInvalidToken(String(body.access_token))
  })

  it('refuses an impersonated token', async () => {
    const { body } = await ask(REQUEST)
    const exchanged = await exchange(example.url, body.subjectToken, olivia)
    expect(exchanged.status).to.equal(200)
    await expectInvalidToken(String(exchanged.body.access_token))
  })

  it('refuses the ID of an impersonated token and a subject token', async () => {
    const { body } = await ask(REQUEST)
    await expectInvalidToken(String(body.subjectToken))
  })

  for (const login of ['alice', 'ada']) {
    it(`refuses ${login}, who is not support staff`, async () => {
      const { status, body } = await ask(
        { ...REQUEST, userId: 'bob' },
        await signIn(example.url, login),
      )
      expect([status, body.error]).to.deep.equal([403, 'access_denied'])
    })
  }

  for (const userId of ['ada', 'grace', 'olivia']) {
    it(`protects ${userId}, who is not a customer`, async () => {
      const { status, body } = await ask({ ...REQUEST, userId })
      expect([status, body.error]).to.deep.equal([403, 'access_denied'])
      expect(body.error_description, 'in its own words').to.equal('this user is protected')
    })
  }

  it('passes on that there is no such user', async () => {
    for (const userId of ['nobody', '__proto__', 'ALICE', ' alice']) {
      const { status, body } = await ask({ ...REQUEST, userId })
      expect([status, body.error], userId).to.deep.equal([404, 'user_not_found'])
    }
  })

  const wrong: [names: string, body: unknown][] = [
    ['userId', { reason: 'r', ticketId: 't' }],
    ['reason', { userId: 'alice', ticketId: 't' }],
    ['ticketId', { userId: 'alice', reason: 'r' }],
    ['userId', { ...REQUEST, userId: '' }],
    ['userId', { ...REQUEST, userId: 7 }],
    ['userId', { ...REQUEST, userId: 'a'.repeat(256) }],
    ['reason', { ...REQUEST, reason: '' }],
    ['reason', { ...REQUEST, reason: ' \u00a0' }],
    ['reason', { ...REQUEST, reason: null }],
    ['reason', { ...REQUEST, reason: ['r'] }],
    ['reason', { ...REQUEST, reason: 'r'.repeat(501) }],
    ['reason', { ...REQUEST, reason: 'line\nbreak' }],
    ['ticketId', { ...REQUEST, ticketId: '' }],
    ['ticketId', { ...REQUEST, ticketId: {} }],
    ['ticketId', { ...REQUEST, ticketId: '\ud800' }],
    ['supportEngineerId', { ...REQUEST, supportEngineerId: 'grace' }],
    ['scope', { ...REQUEST, scope: '' }],
    ['scope', { ...REQUEST, scope: 'orders:delete' }],
    ['scope', { ...REQUEST, scope: 'openid orders:read' }],
    ['scope', { ...REQUEST, scope: 'orders:read  orders:write' }],
    ['scope', { ...REQUEST, scope: 'orders:read orders:read' }],
    ['scope', { ...REQUEST, scope: ['orders:read'] }],
    ['scope', { ...REQUEST, scope: null }],
    ['expiresIn', { ...REQUEST, expiresIn: 0 }],
    ['expiresIn', { ...REQUEST, expiresIn: -1 }],
    ['expiresIn', { ...REQUEST, expiresIn: 1.5 }],
    ['expiresIn', { ...REQUEST, expiresIn: '60' }],
    ['expiresIn', { ...REQUEST, expiresIn: 601 }],
    ['mayAct', { ...REQUEST, mayAct: { sub: 'grace' } }],
    ['resource', { ...REQUEST, resource: 'https://elsewhere.example' }],
    ['JSON', '{"userId":"alice","reason":"r","ticketId":"t","__proto__":{}}'],
    ['object', []],
    ['object', '[1]'],
    ['JSON', '{'],
  ]
  for (const [name, body] of wrong) {
    it(`refuses ${JSON.stringify(body).slice(0, 60)}, naming ${name}`, async () => {
      const answer = await ask(body)
      expect([answer.status, answer.body.error]).to.deep.equal([400, 'invalid_request'])
      expect(answer.body.error_description).to.include(name)
    })
  }

  it('takes the longest reason in the widest characters', async () => {
    const { status } = await ask({
      ...REQUEST,
      reason: '\u{1f980}'.repeat(500),
      ticketId: '\u{1f980}'.repeat(100),
    })
    expect(status).to.equal(201)
  })

  it('refuses another media type, a large body and another method', async () => {
    const url = `${example.url}/support/impersonations`
    const form = await postForm(url, REQUEST, { authorization: `Bearer ${olivia}` })
    expect(form.status).to.equal(415)
    const large = await ask({ ...REQUEST, reason: 'r'.repeat(20_000) })
    expect(large.status).to.equal(413)
    const get = await send(url, { headers: { authorization: `Bearer ${olivia}` } })
    expect([get.status, get.headers.get('allow')]).to.deep.equal([405, 'POST'])
  })

  it('does not say what is wrong with the body to a caller without a token', async () => {
    const { status } = await postJson(`${example.url}/support/impersonations`, {})
    expect(status).to.equal(401)
  })
})
