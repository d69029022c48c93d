import { expect } from 'chai'
import {
  type Example,
  exchange,
  issueDirectly,
  postJson,
  signIn,
  start,
} from '../example-provider/support.ts'
import { type Acting, act, entriesOf, eventsOf, get, type Item, WHY } from './audit-support.ts'

describe('console: what happened, for operators', () => {
  let example: Example
  let olivia: string
  let alice: string
  let acting: Acting

  const audit = (query = '') => get(`${example.url}/support/audit${query}`, olivia)
  const ask = (body: unknown, token: string) =>
    postJson(`${example.url}/support/impersonations`, body, token)

  before(async () => {
    example = await start()
    olivia = await signIn(example.url)
    alice = await signIn(example.url, 'alice')
    acting = await act(example.url, olivia)
    await exchange(example.url, acting.subjectToken, olivia)
    await issueDirectly(example.url, { userId: 'grace' })
    await ask({ ...WHY, userId: 'grace', duration: 60 }, olivia)
    await ask({ ...WHY, userId: 'bob' }, alice)
    await ask('{', alice)
    await ask({ ...WHY, userId: 'mallory', reason: 'ÄRGER <b>', ticketId: 'SUP-2' }, olivia)
    await audit()
  })
  after(() => example.close())

  it('is all there, newest first', async () => {
    const entries = entriesOf(await audit())
    expect(eventsOf(entries)).to.deep.equal([
      'impersonation.issued',
      'support.refused',
      'support.refused',
      'support.refused',
      'impersonation.denied',
      'impersonation.ended',
      'impersonation.replayed',
      'impersonation.granted',
      'impersonation.issued',
    ])
    expect(entries[7]).to.deep.include({
      subject: 'alice',
      actor: { sub: 'olivia' },
      client: 'support-console',
      scope: 'orders:read',
      jti: acting.jti,
      context: { reason: 'Order lost', ticketId: 'SUP-1', supportEngineerId: 'olivia' },
    })
    for (const { cursor, time } of entries) {
      expect(cursor).to.be.a('string')
      expect(time).to.be.closeTo(Date.now(), 60_000)
    }
  })

  it('has what the backend itself refused: a protected user', async () => {
    const [, , , refused] = entriesOf(await audit())
    expect(refused).to.deep.include({
      event: 'support.refused',
      subject: 'grace',
      actor: { sub: 'olivia' },
      scope: 'orders:read',
      denial: { stage: 'issue', error: 'access_denied', reason: 'this user is protected' },
      context: {
        reason: 'Order lost',
        ticketId: 'SUP-1',
        supportEngineerId: 'olivia',
        duration: 60,
      },
    })
  })

  it('has who asked without being support staff, and for whom if that could be read', async () => {
    const [, unreadable, readable] = entriesOf(await audit())
    const denial = {
      stage: 'issue',
      error: 'access_denied',
      reason: 'only support staff may act as a customer',
    }
    expect(readable).to.deep.include({ subject: 'bob', actor: { sub: 'alice' }, denial })
    expect(unreadable).to.deep.include({ actor: { sub: 'alice' }, denial })
    expect(unreadable).to.not.have.any.keys('subject', 'context', 'scope')
  })

  it('holds no token', async () => {
    const { text } = await audit('?limit=200')
    for (const token of [acting.subjectToken, acting.accessToken, olivia, alice]) {
      for (let at = 0; at + 16 <= token.length; at += 1) {
        expect(text.includes(token.slice(at, at + 16))).to.equal(false)
      }
    }
  })

  const filters: [query: string, count: number][] = [
    ['subject=alice', 4],
    ['subject=grace', 2],
    ['subject=ALICE', 0],
    // The entries include the replay of a token that is bound to her, and its end.
    ['actor=olivia', 6],
    ['actor=alice', 2],
    ['event=support.refused', 3],
    ['event=impersonation.ended', 1],
    ['event=support.ended', 0],
    ['actor=olivia&event=support.refused', 1],
    ['text=sup-2', 1],
    ['text=%C3%A4rger', 1],
    ['text=MALLORY', 1],
    ['text=OLIVIA', 6],
    ['text=order+lost', 6],
    ['text=%25', 0],
    ['subject=&actor=&event=&text=', 9],
  ]
  for (const [query, count] of filters) {
    it(`is searched by ${query}`, async () => {
      expect(entriesOf(await audit(`?${query}`))).to.have.length(count)
    })
  }

  it('comes in pages, which together are all of it', async () => {
    const all = entriesOf(await audit())
    for (const limit of [1, 3, 4, 8]) {
      const found: Item[] = []
      let next: unknown
      for (let pages = 0; next !== null && pages < 10; pages += 1) {
        const before = next === undefined ? '' : `&before=${String(next)}`
        const page = await audit(`?limit=${limit}${before}`)
        found.push(...entriesOf(page))
        next = page.body.next
      }
      expect([next, found], `pages of ${limit}`).to.deep.equal([null, all])
    }
  })

  const wrong: [query: string, name: string][] = [
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=5&limit=5', 'limit is repeated'],
    ['event=impersonation.unknown', 'event'],
    ['event=__proto__', 'event'],
    ['before=', 'cursor'],
    ['before=0', 'cursor'],
    ['before=1%27%20OR%201=1', 'cursor'],
    ['before=%2B', 'cursor'],
    ['before=1&before=2', 'before is repeated'],
    [`before=${'9'.repeat(3000)}`, 'cursor'],
    [`text=${'x'.repeat(101)}`, 'text'],
    [`subject=${'x'.repeat(256)}`, 'subject'],
    ['Subject=alice', 'Subject is not known'],
    ['subject[]=alice', 'subject[] is not known'],
    ['after=1', 'after is not known'],
  ]
  for (const [query, name] of wrong) {
    it(`is not searched by ${query.slice(0, 40)}, which is named`, async () => {
      const { status, body } = await audit(`?${query}`)
      expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
      expect(body.error_description).to.include(name)
    })
  }
})
