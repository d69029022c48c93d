import { expect } from 'chai'
import {
  type Example,
  exchange,
  issueDirectly,
  postForm,
  postJson,
  send,
  signIn,
  start,
} from '../example-provider/support.ts'
import {
  type Acting,
  act,
  bearer,
  end,
  get,
  machine,
  signInToAccount,
  tokensOf,
  WHY,
} from './audit-support.ts'

type Told = Record<string, unknown>

describe('console: what customers see of it', () => {
  let example: Example
  let olivia: string
  let alice: string
  let acting: Acting

  before(async () => {
    example = await start()
    const base = example.url
    olivia = await signIn(base)
    alice = await signInToAccount(base, 'alice')
    acting = await act(base, olivia, { ...WHY, scope: 'orders:read orders:write' })
    await exchange(base, acting.subjectToken, olivia)
    await act(base, olivia, { ...WHY, userId: 'bob', ticketId: 'SUP-2' })
    // Only olivia may do this; grace tries it.
    const { body } = await postJson(`${base}/support/impersonations`, WHY, olivia)
    await exchange(base, body.subjectToken, await signIn(base, 'grace'))
    // A replay has ended it. Ended once more, it is refused: no attempt to act as her.
    expect((await end(base, acting.accessToken)).status).to.equal(401)
    await issueDirectly(base, { userId: 'grace' })
  })
  after(() => example.close())

  const url = () => `${example.url}/account/impersonations`
  const told = async (token: string, query = '') => {
    const { status, body, headers, text } = await get(url() + query, token)
    expect(status, text).to.equal(200)
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(body).to.have.all.keys('entries', 'next')
    return body as { entries: Told[]; next: string | null }
  }

  it('is who acted as them, when, for how long, with which scopes, for which ticket', async () => {
    const { entries, next } = await told(alice)
    expect(next).to.equal(null)
    expect(entries.map(({ event }) => event)).to.deep.equal([
      'impersonation.denied',
      'impersonation.replayed',
      'impersonation.granted',
    ])
    const granted = entries[2] ?? {}
    expect(granted).to.deep.include({
      operator: { id: 'olivia', name: 'Olivia Reyes' },
      ticketId: 'SUP-1',
      scope: 'orders:read',
    })
    expect(granted.time).to.be.closeTo(Date.now(), 60_000)
    expect(granted.end).to.include({ by: 'others' })
    expect(Reflect.get(Object(granted.end), 'time')).to.be.within(Number(granted.time), Date.now())
    expect(Number(granted.expiresAt) * 1000 - Number(granted.time)).to.be.within(1000, 601_000)
    for (const { end: none } of entries.slice(0, 2)) expect(none).to.equal(undefined)
  })

  it('is nothing internal: neither reason, nor why somebody was refused, nor ids', async () => {
    const { entries } = await told(alice)
    for (const entry of entries) {
      expect(Object.keys(entry).filter((name) => name !== 'end')).to.have.members([
        'time',
        'event',
        'operator',
        'ticketId',
        'scope',
        'expiresAt',
      ])
    }
    const { text } = await get(url(), alice)
    for (const secret of ['Order lost', 'bound to', 'jti', acting.jti, 'denial', 'client']) {
      expect(text, secret).to.not.include(secret)
    }
  })

  it("is never about somebody else's account", async () => {
    const bob = await told(await signInToAccount(example.url, 'bob'))
    expect(bob.entries).to.have.length(1)
    expect(bob.entries[0]).to.include({ event: 'impersonation.granted', ticketId: 'SUP-2' })
    for (const login of ['mallory', 'olivia']) {
      const { entries, next } = await told(await signInToAccount(example.url, login))
      expect([entries, next], login).to.deep.equal([[], null])
    }
    for (const query of ['?subject=bob', '?actor=olivia', '?sub=bob', '?text=SUP', '?event=x']) {
      const { status, body } = await get(url() + query, alice)
      expect([status, body.error], query).to.deep.equal([400, 'invalid_request'])
      expect(body.error_description).to.include('is not known')
    }
  })

  it('has no operator where nobody knows who it was', async () => {
    const { entries } = await told(await signInToAccount(example.url, 'grace'))
    expect(entries).to.have.length(1)
    expect(entries[0]).to.include({ event: 'impersonation.denied', operator: null, scope: null })
  })

  it('comes in pages, which keep what ended an impersonation on another one', async () => {
    const { entries } = await told(alice)
    for (const limit of [1, 2, 3]) {
      const found: Told[] = []
      let next: string | null | undefined
      for (let pages = 0; next !== null && pages < 10; pages += 1) {
        const page = await told(alice, `?limit=${limit}${next ? `&before=${next}` : ''}`)
        found.push(...page.entries)
        next = page.next
      }
      expect([next, found], `pages of ${limit}`).to.deep.equal([null, entries])
    }
  })

  for (const query of [
    'limit=0',
    'limit=201',
    'before=',
    'before=x',
    'before=1%20OR%201',
    'before=1&before=2',
  ]) {
    it(`is not asked for by ${query}`, async () => {
      const { status, body } = await get(`${url()}?${query}`, alice)
      expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
    })
  }

  it('is for nobody without a token from the account page', async () => {
    const none = await send(url())
    expect(none.status).to.equal(401)
    expect(none.headers.get('www-authenticate')).to.equal('Bearer realm="account"')
    const revoked = await signInToAccount(example.url, 'alice')
    await postForm(`${example.url}/oidc/token/revocation`, {
      token: revoked,
      client_id: 'customer-account',
    })
    for (const [who, token] of [
      ['alice at the console', await signIn(example.url, 'alice')],
      ['olivia at the console', olivia],
      ['a machine', await machine(example.url)],
      ['olivia as alice', acting.accessToken],
      ['a subject token', acting.subjectToken],
      ['alice, revoked', revoked],
    ]) {
      const answer = await send(url(), { headers: bearer(token ?? '') })
      expect([answer.status, answer.body.error], who).to.deep.equal([401, 'invalid_token'])
    }
  })

  it('is only to be read', async () => {
    for (const method of ['POST', 'DELETE', 'PUT']) {
      const answer = await send(url(), { method, headers: bearer(alice) })
      expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD'])
    }
  })

  describe('their application', () => {
    it('gets an ID token and an access token, and none to go on with', async () => {
      const { status, body } = await tokensOf(example.url, 'customer-account', 'alice')
      expect(status).to.equal(200)
      expect(body).to.include.keys('access_token', 'id_token')
      expect(body).to.not.have.property('refresh_token')
    })

    it('may neither exchange nor ask for orders', async () => {
      const { body } = await postJson(`${example.url}/support/impersonations`, WHY, olivia)
      const client = { client_id: 'customer-account' }
      const exchanged = await exchange(example.url, body.subjectToken, olivia, client)
      expect([exchanged.status, exchanged.body.error]).to.deep.equal([400, 'invalid_request'])
      expect(exchanged.body.error_description).to.include('grant type')
      const query = new URLSearchParams({
        client_id: 'customer-account',
        response_type: 'code',
        redirect_uri: `${example.url}/account/callback`,
        scope: 'openid orders:read',
        resource: `${example.url}/orders`,
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      })
      const { headers } = await send(`${example.url}/oidc/auth?${query}`)
      expect(headers.get('location')).to.include('error=invalid_target')
    })
  })
})
