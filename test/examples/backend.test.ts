import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import Koa from 'koa'
import { quietly } from '../../console/test/support/quietly.ts'
import { people } from '../../example-provider/accounts.ts'
import { answerProblems } from '../../example-provider/json.ts'
import { supportBackend } from '../../examples/backend.ts'
import { type Answer, listen, postJson } from '../example-provider/support.ts'

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
    use: (ask: (token?: string) => Promise<Answer>) => Promise<void>,
  ): Promise<void> {
    const upstream = typeof provider === 'string' ? undefined : await listen(handler(provider))
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
    const backend = await listen(app.callback())
    try {
      const ask = (token = 'operator-token') =>
        postJson(`${backend.url}/support/impersonations`, REQUEST, token)
      await quietly(() => use(ask))
    } finally {
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
      await withBackend(provider, async (ask) => {
        const { status, body } = await ask()
        expect([status, body.error]).to.deep.equal([401, 'invalid_token'])
      })
      expect(provider.seen).to.have.lengthOf(1)
    })
  }

  it('asks the provider nothing about what cannot be a token', async () => {
    const provider = fake()
    await withBackend(provider, async (ask) => {
      for (const token of ['', 'a b', 'a,b', '"a"']) {
        expect((await ask(token)).body.error, token).to.equal('invalid_token')
      }
    })
    expect(provider.seen).to.deep.equal([])
  })

  it('uses a machine token for many requests, until shortly before it expires', async () => {
    const provider = fake()
    const real = Date.now
    try {
      await withBackend(provider, async (ask) => {
        await ask()
        Date.now = () => real() + 560_000
        await ask()
        expect(count(provider, '/oidc/token')).to.equal(1)
        Date.now = () => real() + 571_000
        await ask()
        expect(count(provider, '/oidc/token')).to.equal(2)
      })
    } finally {
      Date.now = real
    }
    expect(count(provider, '/api/subject-tokens')).to.equal(3)
  })

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
        [200, { ...GRANTED, access_token: 'machine-1' }],
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
    [
      'introspection is a redirect',
      { '/oidc/token/introspection': [[302, '']], '/elsewhere': [[200, ACTIVE]] },
    ],
    ['the machine token is refused', { '/oidc/token': [[400, { error: 'invalid_target' }]] }],
    ['the machine token is missing', { '/oidc/token': [[200, {}]] }],
    ['the management API fails', { '/api/subject-tokens': [[500, {}]] }],
    [
      'the management API is a redirect',
      {
        '/api/subject-tokens': [[302, '']],
        '/elsewhere': [[201, { subjectToken: 's', expiresIn: 5 }]],
      },
    ],
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
    const refusal = { error: 'access_denied', error_description: 'no' }
    await withBackend(fake({ '/api/subject-tokens': [[403, refusal]] }), async (ask) => {
      const { status, body } = await ask()
      expect([status, body]).to.deep.equal([403, refusal])
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
