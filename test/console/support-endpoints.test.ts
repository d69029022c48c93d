import { expect } from 'chai'
import {
  type Example,
  exchange,
  postForm,
  postJson,
  send,
  signIn,
  start,
} from '../example-provider/support.ts'
import { act, bearer, get, machine, signInToAccount } from './audit-support.ts'

/** Every endpoint for operators, called with sufficient rights. */
const ENDPOINTS: [method: string, path: string, allow: string, body?: object][] = [
  ['GET', '/support/me', 'GET, HEAD'],
  ['GET', '/support/customers', 'GET, HEAD'],
  ['GET', '/support/audit', 'GET, HEAD'],
  ['GET', '/support/audit/stream', 'GET'],
  ['POST', '/support/impersonations', 'POST', { userId: 'bob', reason: 'r', ticketId: 't' }],
]

describe('console: the endpoints for operators', () => {
  let example: Example
  let olivia: string
  const tokens = new Map<string, string>()

  before(async () => {
    example = await start()
    const base = example.url
    olivia = await signIn(base)
    const acting = await act(base, olivia)
    const revoked = await signIn(base)
    await postForm(`${base}/oidc/token/revocation`, {
      token: revoked,
      client_id: 'support-console',
    })
    tokens.set('a machine', await machine(base))
    tokens.set('an impersonated user', acting.accessToken)
    tokens.set('a subject token', acting.subjectToken)
    tokens.set(
      'an operator who signed in to the account page',
      await signInToAccount(base, 'olivia'),
    )
    tokens.set('a revoked token', revoked)
    tokens.set('something that is none', 'x')
    tokens.set('alice', await signIn(base, 'alice'))
    tokens.set('mallory', await signIn(base, 'mallory'))
    tokens.set('grace, an administrator', await signIn(base, 'grace'))
  })
  after(() => example.close())

  for (const [method, path, allow, body] of ENDPOINTS) {
    describe(`${method} ${path}`, () => {
      const ask = (headers: Record<string, string>) =>
        send(example.url + path, {
          method,
          headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
          ...(body ? { body: JSON.stringify(body) } : {}),
        })

      for (const who of [
        'a machine',
        'an impersonated user',
        'a subject token',
        'an operator who signed in to the account page',
        'a revoked token',
        'something that is none',
      ]) {
        it(`takes no token of ${who}`, async () => {
          const answer = await ask(bearer(tokens.get(who) ?? ''))
          expect([answer.status, answer.body.error]).to.deep.equal([401, 'invalid_token'])
          expect(answer.headers.get('cache-control')).to.equal('no-store')
        })
      }

      for (const who of ['alice', 'mallory', 'grace, an administrator']) {
        it(`is not for ${who}`, async () => {
          const answer = await ask(bearer(tokens.get(who) ?? ''))
          expect([answer.status, answer.body.error]).to.deep.equal([403, 'access_denied'])
          expect(answer.headers.get('cache-control')).to.equal('no-store')
          expect(answer.body).to.have.all.keys('error', 'error_description')
        })
      }

      it('challenges who shows no token', async () => {
        const answer = await ask({})
        expect(answer.status).to.equal(401)
        expect(answer.headers.get('www-authenticate')).to.equal('Bearer realm="support"')
      })

      it('takes no other method', async () => {
        for (const other of ['PUT', 'DELETE', 'PATCH', method === 'GET' ? 'POST' : 'GET']) {
          const answer = await send(example.url + path, { method: other, headers: bearer(olivia) })
          expect([answer.status, answer.headers.get('allow')], other).to.deep.equal([405, allow])
        }
      })
    })
  }

  it('tell an operator who they are', async () => {
    const answer = await get(`${example.url}/support/me`, olivia)
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('cache-control')).to.equal('no-store')
    expect(answer.body).to.deep.equal({
      id: 'olivia',
      name: 'Olivia Reyes',
      email: 'olivia@example.com',
    })
  })

  describe('customers', () => {
    const find = (query: string) => get(`${example.url}/support/customers${query}`, olivia)
    const idsOf = (body: Record<string, unknown>) =>
      (body.customers as { id: string }[]).map(({ id }) => id)

    it('are all there without q, by name, and who is protected is shown as such', async () => {
      for (const query of ['', '?q=']) {
        const { status, headers, body } = await find(query)
        expect([status, headers.get('cache-control')]).to.deep.equal([200, 'no-store'])
        expect(body.more).to.equal(false)
        expect(idsOf(body).toSorted()).to.deep.equal([
          'alice',
          'bob',
          'chidi',
          'dana',
          'grace',
          'mallory',
          'olivia',
        ])
        expect(body.customers).to.deep.include({
          id: 'mallory',
          name: '<img src=x onerror=alert(1)>',
          email: 'mallory@example.com',
          protected: false,
        })
        const customers = body.customers as { id: string; protected: boolean; name: string }[]
        expect(customers.filter((one) => one.protected).map(({ id }) => id)).to.deep.equal([
          'grace',
          'olivia',
        ])
        expect(customers.map(({ name }) => name)).to.deep.equal(
          customers.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b, 'en')),
        )
      }
    })

    const searches: [q: string, found: string[]][] = [
      ['ALICE', ['alice']],
      ['okeke', ['chidi']],
      ['dana@EXAMPLE', ['dana']],
      ['<IMG', ['mallory']],
      ['bob@example.com', ['bob']],
      ['nobody', []],
      ['.*', []],
      ['%', []],
      ['__proto__', []],
    ]
    for (const [q, found] of searches) {
      it(`are found by ${q}`, async () => {
        const { body } = await find(`?q=${encodeURIComponent(q)}`)
        expect(idsOf(body)).to.deep.equal(found)
      })
    }

    const wrong: [query: string, name: string][] = [
      [`?q=${'a'.repeat(101)}`, 'q must not exceed 100'],
      ['?q=a&q=b', 'q is repeated'],
      ['?query=a', 'query is not known'],
      ['?__proto__=a', '__proto__ is not known'],
    ]
    for (const [query, message] of wrong) {
      it(`are not searched by ${query.slice(0, 20)}`, async () => {
        const { status, body } = await find(query)
        expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
        expect(body.error_description).to.include(message)
      })
    }
  })

  describe('how long to act', () => {
    const ask = (duration: unknown) =>
      postJson(
        `${example.url}/support/impersonations`,
        { userId: 'alice', reason: 'r', ticketId: 't', duration },
        olivia,
      )

    it('is 30 to 600 seconds, and part of what is recorded', async () => {
      for (const duration of [30, 600]) {
        const { status, body } = await ask(duration)
        expect(status).to.equal(201)
        const granted = await exchange(example.url, body.subjectToken, olivia)
        expect(granted.status).to.equal(200)
        const { body: found } = await get(`${example.url}/support/audit?limit=1`, olivia)
        const [newest] = found.entries as { context: object }[]
        expect(newest?.context).to.deep.equal({
          reason: 'r',
          ticketId: 't',
          supportEngineerId: 'olivia',
          duration,
        })
      }
    })

    for (const duration of [29, 601, 60.5, '60', -60, 0, null, [60], 1e99]) {
      it(`is never ${JSON.stringify(duration)}`, async () => {
        const { status, body } = await ask(duration)
        expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
        expect(body.error_description).to.include('duration')
      })
    }
  })
})
