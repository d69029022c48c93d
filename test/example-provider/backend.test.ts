import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import Koa from 'koa'
import { supportBackend } from '../../example-provider/backend/router.ts'
import type { Example } from '../../example-provider/server.ts'
import { type Answer, basic, listen, postForm, postJson, send, signIn, start } from './support.ts'

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
    const exchanged = await exchange(example.url, String(body.subjectToken))
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

  it('refuses a token that nobody issued, or that is none', async () => {
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
    await postForm(`${example.url}/oidc/token/revocation`, { token, client_id: 'support-console' })
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
    const exchanged = await exchange(example.url, String(body.subjectToken))
    expect(exchanged.status).to.equal(200)
    await expectInvalidToken(String(exchanged.body.access_token))
  })

  it('refuses the ID of an impersonated token and a subject token', async () => {
    const { body } = await ask(REQUEST)
    await expectInvalidToken(String(body.subjectToken))
  })

  for (const login of ['alice', 'grace']) {
    it(`refuses ${login}, who is not support staff`, async () => {
      const { status, body } = await ask(
        { ...REQUEST, userId: 'bob' },
        await signIn(example.url, login),
      )
      expect([status, body.error]).to.deep.equal([403, 'access_denied'])
    })
  }

  for (const userId of ['grace', 'olivia']) {
    it(`protects ${userId}, who is not a customer`, async () => {
      const { status, body } = await ask({ ...REQUEST, userId })
      expect([status, body.error]).to.deep.equal([403, 'access_denied'])
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
    ['userId, reason, ticketId', { ...REQUEST, supportEngineerId: 'grace' }],
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

  it('tells nobody without a token what it thinks of the body', async () => {
    const { status } = await postJson(`${example.url}/support/impersonations`, {})
    expect(status).to.equal(401)
  })
})

function exchange(base: string, subjectToken: string): Promise<Answer> {
  return postForm(`${base}/oidc/token`, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    client_id: 'support-console',
    subject_token: subjectToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    resource: `${base}/orders`,
    scope: 'orders:read',
  })
}

describe('example provider: support backend and its provider', () => {
  const ACTIVE = {
    active: true,
    sub: 'olivia',
    client_id: 'support-console',
    scope: 'openid',
    token_type: 'Bearer',
  }

  interface Provider {
    /** Answers of each path, in turn; the last one stays. */
    readonly answers: Record<string, [status: number, body: object | string][]>
    readonly seen: { path: string; authorization: string | undefined; body: string }[]
  }

  function fake(more: Provider['answers'] = {}): Provider {
    return {
      answers: {
        '/oidc/token/introspection': [[200, ACTIVE]],
        '/oidc/token': [[200, { access_token: 'machine-1', expires_in: 600 }]],
        '/api/subject-tokens': [[201, { subjectToken: 's', expiresIn: 5 }]],
        ...more,
      },
      seen: [],
    }
  }

  function handler(provider: Provider): RequestListener {
    return async (request, response) => {
      const path = request.url ?? ''
      const { authorization } = request.headers
      provider.seen.push({ path, authorization, body: await text(request) })
      const answers = provider.answers[path] ?? []
      const [status, body] = (answers.length > 1 ? answers.shift() : answers[0]) ?? [404, {}]
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
    }
  }

  /** A backend whose provider is a fake one, at a time of the test's choosing. */
  async function withBackend(
    provider: Provider | string,
    use: (ask: (token?: string) => Promise<Answer>, clock: { now: number }) => Promise<void>,
  ): Promise<void> {
    const clock = { now: 1_000_000 }
    const upstream = typeof provider === 'string' ? undefined : await listen(handler(provider))
    const app = new Koa()
    app.silent = true
    app.use(
      supportBackend({
        providerUrl: upstream?.url ?? String(provider),
        managementResource: 'https://id.example.com/api',
        clientId: 'support-backend',
        clientSecret: 'se:cret é',
        operatorClients: ['support-console', 'support-web'],
        now: () => clock.now,
      }),
    )
    const backend = await listen(app.callback())
    const log = console.error
    console.error = () => {}
    try {
      await use(
        (token = 'operator-token') =>
          postJson(`${backend.url}/support/impersonations`, REQUEST, token),
        clock,
      )
    } finally {
      console.error = log
      await backend.close()
      await upstream?.close()
    }
  }

  const count = (provider: Provider, path: string): number =>
    provider.seen.filter((request) => request.path === path).length

  it('sends what the management API takes, with credentials as RFC 6749 encodes them', async () => {
    const provider = fake()
    await withBackend(provider, async (ask) => {
      const { status, text } = await ask()
      expect([status, text]).to.deep.equal([201, '{"subjectToken":"s","expiresIn":5}'])
    })
    const [introspection, token, issue] = provider.seen
    const credentials = `Basic ${Buffer.from('support-backend:se%3Acret+%C3%A9').toString('base64')}`
    expect(introspection?.authorization).to.equal(credentials)
    expect(new URLSearchParams(introspection?.body).get('token')).to.equal('operator-token')
    expect(token?.authorization).to.equal(credentials)
    expect(Object.fromEntries(new URLSearchParams(token?.body))).to.deep.equal({
      grant_type: 'client_credentials',
      resource: 'https://id.example.com/api',
      scope: 'impersonate',
    })
    expect(issue?.authorization).to.equal('Bearer machine-1')
    expect(JSON.parse(issue?.body ?? '')).to.deep.equal({
      userId: 'alice',
      context: { ticketId: 'SUP-1', reason: 'Order lost', supportEngineerId: 'olivia' },
    })
  })

  const bad: [why: string, introspection: object][] = [
    ['is not active', { active: false }],
    ['has no sub', { ...ACTIVE, sub: undefined }],
    ['belongs to another client', { ...ACTIVE, client_id: 'shop' }],
    ['belongs to the backend itself', { ...ACTIVE, client_id: 'support-backend' }],
    ['has no scope', { ...ACTIVE, scope: undefined }],
    ['has a scope that only contains the word openid', { ...ACTIVE, scope: 'xopenid openid2' }],
    ['is for another API', { ...ACTIVE, aud: 'https://id.example.com/orders' }],
    ['is impersonated', { ...ACTIVE, act: { sub: 'grace' } }],
    ['is bound to a key', { ...ACTIVE, token_type: 'DPoP', cnf: { jkt: 'x' } }],
    ['is a refresh token', { ...ACTIVE, token_type: undefined }],
  ]
  for (const [why, introspection] of bad) {
    it(`refuses a token that ${why}, before anything else`, async () => {
      const provider = fake({ '/oidc/token/introspection': [[200, introspection]] })
      await withBackend(provider, async (ask) => {
        const { status, body } = await ask()
        expect([status, body.error]).to.deep.equal([401, 'invalid_token'])
      })
      expect(provider.seen).to.have.lengthOf(1)
    })
  }

  it('fetches one machine token for many requests at once', async () => {
    const provider = fake()
    await withBackend(provider, async (ask) => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => ask()))
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(10).fill(201))
      await ask()
    })
    expect(count(provider, '/oidc/token')).to.equal(1)
    expect(count(provider, '/api/subject-tokens')).to.equal(11)
  })

  it('fetches another one shortly before it expires, and not sooner', async () => {
    const provider = fake()
    await withBackend(provider, async (ask, clock) => {
      await ask()
      clock.now += 569_000
      await ask()
      expect(count(provider, '/oidc/token')).to.equal(1)
      clock.now += 2000
      await ask()
      expect(count(provider, '/oidc/token')).to.equal(2)
    })
  })

  it('fetches another one when the management API refuses it, once', async () => {
    const refused: [number, object] = [401, { error: 'invalid_token' }]
    const provider = fake({
      '/oidc/token': [
        [200, { access_token: 'machine-1', expires_in: 600 }],
        [200, { access_token: 'machine-2', expires_in: 600 }],
      ],
      '/api/subject-tokens': [refused, [201, { subjectToken: 's', expiresIn: 5 }], refused],
    })
    await withBackend(provider, async (ask) => {
      expect((await ask()).status).to.equal(201)
      expect(provider.seen.at(-1)?.authorization).to.equal('Bearer machine-2')
      expect((await ask()).status).to.equal(502)
    })
    expect(count(provider, '/api/subject-tokens')).to.equal(4)
  })

  it('does not hold on to a failure to fetch one', async () => {
    const provider = fake({
      '/oidc/token': [
        [500, 'broken'],
        [200, { access_token: 'machine-1', expires_in: 600 }],
      ],
    })
    await withBackend(provider, async (ask) => {
      expect((await ask()).status).to.equal(502)
      expect((await ask()).status).to.equal(201)
    })
  })

  const broken: [what: string, answers: Provider['answers']][] = [
    ['introspection fails', { '/oidc/token/introspection': [[500, {}]] }],
    [
      'introspection refuses the backend',
      { '/oidc/token/introspection': [[401, { error: 'invalid_client' }]] },
    ],
    ['introspection answers nonsense', { '/oidc/token/introspection': [[200, 'hello']] }],
    ['introspection is a redirect', { '/oidc/token/introspection': [[302, '']] }],
    ['the machine token is refused', { '/oidc/token': [[400, { error: 'invalid_target' }]] }],
    ['the machine token is missing', { '/oidc/token': [[200, {}]] }],
    ['the management API fails', { '/api/subject-tokens': [[500, {}]] }],
    ['the management API answers nonsense', { '/api/subject-tokens': [[201, 'hello']] }],
    [
      'the management API misses a scope',
      { '/api/subject-tokens': [[403, { error: 'insufficient_scope' }]] },
    ],
    ['the management API is not there', { '/api/subject-tokens': [[404, 'Not Found']] }],
  ]
  for (const [what, answers] of broken) {
    it(`answers 502 when ${what}, and says nothing of it`, async () => {
      await withBackend(fake(answers), async (ask) => {
        const { status, body } = await ask()
        expect([status, body]).to.deep.equal([
          502,
          { error: 'bad_gateway', error_description: 'the provider answered unexpectedly' },
        ])
      })
    })
  }

  it('passes on what the provider refuses by policy', async () => {
    const answers: Provider['answers'] = {
      '/api/subject-tokens': [[403, { error: 'access_denied', error_description: 'no' }]],
    }
    await withBackend(fake(answers), async (ask) => {
      const { status, body } = await ask()
      expect([status, body]).to.deep.equal([
        403,
        { error: 'access_denied', error_description: 'no' },
      ])
    })
  })

  it('answers 503 when the provider cannot be reached', async () => {
    const gone = await listen(() => {})
    await gone.close()
    await withBackend(gone.url, async (ask) => {
      const { status, body } = await ask()
      expect([status, body.error]).to.deep.equal([503, 'temporarily_unavailable'])
    })
  })

  it('answers 503 when the provider does not answer in time', async () => {
    const stalled = await listen(() => {})
    await withBackend(stalled.url, async (ask) => {
      expect((await ask()).status).to.equal(503)
    })
    await stalled.close()
  }).timeout(10_000)
})
