import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import Koa from 'koa'
import { people } from '../../example-provider/accounts.ts'
import { answerProblems } from '../../example-provider/frame.ts'
import { supportBackend } from '../../examples/backend.ts'
import { quietly } from '../../packages/console/test/support/quietly.ts'
import { freePort } from '../adapters/servers.ts'
import { type Answer, listen, postJson } from '../example-provider/support.ts'
import { expectAnswer } from '../support/http.ts'

const REQUEST = { userId: 'alice', reason: 'Order lost', ticketId: 'SUP-1' }

describe('examples/backend.ts and its provider', () => {
  const ACTIVE = {
    active: true,
    sub: 'olivia',
    client_id: 'support-tool',
    scope: 'openid',
    token_type: 'Bearer',
  }

  const GRANTED = { token_type: 'Bearer', expires_in: 600 }

  interface Provider {
    /** The answers of each path, in order; the last answer repeats. */
    readonly answers: Record<string, [status: number, body: object | string][]>
    readonly seen: { path: string; authorization: string | undefined; body: string }[]
  }

  function fake(more: Provider['answers'] = {}): Provider {
    return {
      answers: {
        '/oidc/token/introspection': [[200, ACTIVE]],
        '/oidc/token': [[200, { ...GRANTED, access_token: 'machine-1' }]],
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
      if (status === 302) response.setHeader('location', '/elsewhere')
      response.setHeader('content-type', 'application/json')
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
    }
  }

  /** A backend with a fake provider. */
  async function withBackend(
    provider: Provider | string,
    use: (ask: (request?: object) => Promise<Answer>) => Promise<void>,
  ): Promise<void> {
    await using upstream =
      typeof provider === 'string' ? undefined : await listen(handler(provider))
    const app = new Koa()
    app.silent = true
    app.use(answerProblems)
    app.use(
      supportBackend({
        providerUrl: upstream?.url ?? String(provider),
        url: 'https://id.example.com',
        clientId: 'support-backend',
        clientSecret: 'se:cret é',
        operatorClients: ['support-tool', 'support-web'],
        people,
        recordRefusal: async () => {},
      }),
    )
    await using backend = await listen(app.callback())
    const ask = (request: object = REQUEST) =>
      postJson(`${backend.url}/support/impersonations`, request, 'operator-token')
    await quietly(() => use(ask))
  }

  /** Returns the answer of a backend to one request. */
  async function asked(provider: Provider | string, request?: object): Promise<Answer> {
    const answers: Answer[] = []
    await withBackend(provider, async (ask) => void answers.push(await ask(request)))
    return answers[0] ?? expect.fail('no answer')
  }

  it('sends what the management API takes, with credentials as RFC 6749 encodes them', async () => {
    const provider = fake()
    await withBackend(provider, async (ask) => {
      await expectAnswer(ask(), 201, { subjectToken: 's', expiresIn: 5 })
    })
    const [introspection, token, issue] = provider.seen
    for (const { authorization = '' } of [introspection, token].map((request) => ({
      ...request,
    }))) {
      const [, credentials = ''] = /^Basic (.+)$/.exec(authorization) ?? []
      const parts = new URLSearchParams(atob(credentials).replace(':', '='))
      expect([...parts], 'each part is form-encoded').to.deep.equal([
        ['support-backend', 'se:cret é'],
      ])
    }
    expect(new URLSearchParams(introspection?.body).get('token')).to.equal('operator-token')
    expect(Object.fromEntries(new URLSearchParams(token?.body))).to.deep.equal({
      grant_type: 'client_credentials',
      resource: 'https://id.example.com/api',
      scope: 'impersonate',
    })
    expect(issue?.authorization).to.equal('Bearer machine-1')
    expect(JSON.parse(issue?.body ?? '')).to.deep.equal({
      userId: 'alice',
      context: { ticketId: 'SUP-1', reason: 'Order lost', supportEngineerId: 'olivia' },
      mayAct: { sub: 'olivia' },
      resource: 'https://id.example.com/orders',
      scope: 'orders:read',
    })
  })

  const bad: [why: string, introspection: object][] = [
    ['is not active', { ...ACTIVE, active: false }],
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
      await expectAnswer(asked(provider), 401, 'invalid_token')
      expect(provider.seen).to.have.lengthOf(1)
    })
  }

  it('fetches another one when the management API refuses it, once', async () => {
    const refused: [number, object] = [401, { error: 'invalid_token' }]
    const provider = fake({
      '/oidc/token': [
        [200, { ...GRANTED, access_token: 'machine-1' }],
        [200, { ...GRANTED, access_token: 'machine-2' }],
      ],
      '/api/subject-tokens': [refused, [201, { subjectToken: 's', expiresIn: 5 }], refused],
    })
    await withBackend(provider, async (ask) => {
      await expectAnswer(ask(), 201)
      expect(provider.seen.at(-1)?.authorization).to.equal('Bearer machine-2')
      await expectAnswer(ask(), 502)
    })
    const issued = provider.seen.filter(({ path }) => path === '/api/subject-tokens')
    expect(issued).to.have.lengthOf(4)
  })

  const broken: Record<string, Provider['answers']> = {
    'introspection fails': { '/oidc/token/introspection': [[500, {}]] },
    'introspection is a redirect': {
      '/oidc/token/introspection': [[302, '']],
      '/elsewhere': [[200, ACTIVE]],
    },
    'the machine token is refused': { '/oidc/token': [[400, { error: 'invalid_target' }]] },
    'the management API answers nonsense': { '/api/subject-tokens': [[201, 'hello']] },
  }
  it('answers 502 when the provider answers unexpectedly, and says nothing of it', async () => {
    for (const [what, answers] of Object.entries(broken)) {
      const { body } = await expectAnswer(asked(fake(answers)), 502, 'bad_gateway', what)
      expect(body.error_description).to.equal('the provider answered unexpectedly')
    }
  })

  it('passes on what the provider refuses by policy', async () => {
    const refusal = { error: 'access_denied', error_description: 'no' }
    await expectAnswer(asked(fake({ '/api/subject-tokens': [[403, refusal]] })), 403, refusal)
  })

  it('lets nobody act as themselves or as an operator, and asks for no token', async () => {
    for (const [who, userId] of [
      ['alice', 'bob'],
      ['olivia', 'grace'],
    ]) {
      const provider = fake({ '/oidc/token/introspection': [[200, { ...ACTIVE, sub: who }]] })
      expect((await asked(provider, { ...REQUEST, userId })).body.error).to.equal('access_denied')
      expect(provider.seen).to.have.lengthOf(1)
    }
  })

  it('refuses a request that is wrong, and names the member', async () => {
    for (const wrong of [
      { reason: ' ' },
      { ticketId: 7 },
      { reason: 'reversed: \u202e' },
      { scope: 'orders:delete' },
      { mayAct: { sub: 'grace' } },
    ]) {
      const { body } = await expectAnswer(asked(fake(), { ...REQUEST, ...wrong }), 400)
      expect(body.error_description).to.include(Object.keys(wrong)[0])
    }
  })

  it('answers 503 when the provider cannot be reached', async () => {
    const gone = `http://localhost:${await freePort()}`
    await expectAnswer(asked(gone), 503, 'temporarily_unavailable')
  })
})
