import { expect } from 'chai'
import { countRepeats, repeatKeyOf } from '../../console/audit/repeats.ts'
import { matcher } from '../../console/audit/search.ts'
import { quietly } from '../example-provider/quietly.ts'
import {
  type Example,
  exchange,
  issueDirectly,
  signIn,
  start,
} from '../example-provider/support.ts'
import { entryOf, replayOf } from './audit-contract.ts'
import { type Acting, act, entriesOf, eventsOf, get, signInToAccount } from './audit-support.ts'

const MANY = 1000

describe('console: what happens again', function () {
  this.timeout(120_000)

  let example: Example
  let olivia: string
  let acting: Acting
  before(async () => {
    example = await start()
    olivia = await signIn(example.url)
  })
  beforeEach(async () => {
    acting = await act(example.url, olivia)
  })
  after(() => example.close())

  const search = async (query = '') =>
    entriesOf(await get(`${example.url}/support/audit${query}`, olivia))
  const times = async (send: () => Promise<unknown>, count = MANY) => {
    for (let sent = 0; sent < count; sent += 50) await Promise.all(Array.from({ length: 50 }, send))
  }
  /** The newest entries of the latest impersonation. */
  const latest = async (count: number) => (await search()).slice(0, count)

  it('a used token that is replayed a thousand times is one entry, and buries nothing', async () => {
    const began = Date.now()
    const { stdout } = await quietly(async () => {
      await times(() => exchange(example.url, acting.subjectToken))
      // The events of the last answers come after these.
      await search()
    })
    const logged = stdout.filter((line) => line.includes('"impersonation.replayed"'))
    expect(logged, 'the log has every one').to.have.length(MANY)
    const [ended, replayed, ...others] = await latest(4)
    expect(ended).to.deep.include({ event: 'impersonation.ended', id: replayed?.id })
    expect(ended?.end).to.include({ cause: 'replay' })
    expect(ended, 'it ends once').not.to.have.property('count')
    expect(eventsOf(others)).to.deep.equal(['impersonation.granted', 'impersonation.issued'])
    expect(replayed).to.include({ event: 'impersonation.replayed', count: MANY, subject: 'alice' })
    expect(replayed?.time).to.be.at.least(began)
    expect(replayed?.lastTime).to.be.within(Number(replayed?.time), Date.now())
  })

  it('names who the replayed token was bound to, and is found by that operator', async () => {
    await exchange(example.url, acting.subjectToken)
    const found = await search('?actor=olivia&event=impersonation.replayed')
    expect(found[0]).to.deep.include({ mayAct: { sub: 'olivia' } })
    expect(found[0]).to.not.have.property('actor')
    expect(found[0]?.redemption).to.include({ jti: acting.jti })
    const replay = replayOf(1, 'x', { mayAct: { sub: 'olivia' }, actor: { sub: 'mallory' } })
    for (const actor of ['olivia', 'mallory']) expect(matcher({ actor })(replay)).to.equal(true)
    expect(matcher({ actor: 'bob' })(replay)).to.equal(false)
    expect(matcher({ actor: 'olivia' })(replayOf(1))).to.equal(false)
    expect(matcher({ text: 'OLIV' })(replay)).to.equal(true)
  })

  it('denials of one token are one entry for each error and actor', async () => {
    const { body } = await issueDirectly(example.url, {
      userId: 'alice',
      mayAct: { sub: 'olivia' },
    })
    const alice = await signIn(example.url, 'alice')
    await quietly(async () => {
      await times(() => exchange(example.url, body.subjectToken), 200)
      await times(() => exchange(example.url, body.subjectToken, 'garbage'), 200)
      await times(() => exchange(example.url, body.subjectToken, alice), 200)
      expect((await exchange(example.url, body.subjectToken, olivia)).status).to.equal(200)
    })
    const denied = (await search('?event=impersonation.denied')).filter(({ count }) => count)
    const counts = denied.map(({ count }) => Number(count))
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(600)
    expect(denied.length).to.be.at.most(2)
  })

  it('denials at issue are one entry where they are alike, and others where they are not', async () => {
    await quietly(async () => {
      for (const ticketId of ['SUP-1', 'SUP-2', 'SUP-1', 'SUP-1']) {
        await issueDirectly(example.url, { userId: 'grace', context: { ticketId } })
      }
    })
    const denied = await search('?subject=grace')
    expect(denied.map(({ context, count }) => [context, count])).to.deep.equal([
      [{ ticketId: 'SUP-2' }, undefined],
      [{ ticketId: 'SUP-1' }, 3],
    ])
  })

  it('tells the customer how often it was tried', async () => {
    await times(() => exchange(example.url, acting.subjectToken), 50)
    const alice = await signInToAccount(example.url, 'alice')
    const answer = await get(`${example.url}/account/impersonations?limit=2`, alice)
    expect(entriesOf(answer)[0]).to.include({ event: 'impersonation.replayed', count: 50 })
    expect(entriesOf(answer)[0]).to.have.property('lastTime').that.is.a('number')
  })

  it('is told apart by token, client, actor and error; and what succeeds is never counted', () => {
    const denied = (more: object) =>
      entryOf(1, {
        event: 'impersonation.denied',
        id: 'a',
        denial: { stage: 'exchange', error: 'invalid_request', reason: 'r' },
        ...more,
      })
    const different = [
      replayOf(1, 'a'),
      replayOf(1, 'b'),
      replayOf(1, 'a', { actor: { sub: 'olivia' } }),
      replayOf(1, 'a', { client: 'another' }),
      denied({}),
      denied({ id: 'b' }),
      denied({ actor: { sub: 'olivia' } }),
      denied({ denial: { stage: 'exchange', error: 'access_denied', reason: 'r' } }),
      denied({ denial: { stage: 'end', error: 'invalid_request', reason: 'r' } }),
    ]
    expect(new Set(different.map(repeatKeyOf)).size).to.equal(different.length)
    const same = { denial: { stage: 'exchange', error: 'invalid_request', reason: 'another' } }
    expect(repeatKeyOf(denied({ ...same, time: 2 }))).to.equal(repeatKeyOf(denied({})))
    for (const event of [
      'impersonation.issued',
      'impersonation.granted',
      'impersonation.ended',
    ] as const) {
      expect(repeatKeyOf(entryOf(1, { event, id: 'a' }))).to.equal(undefined)
    }
    expect(countRepeats([entryOf(1), entryOf(1)])).to.have.length(2)
  })

  it('with tokens that do not exist is one entry for who shows their own actor token', () => {
    const denied = (id: string, time: number) =>
      entryOf(time, {
        event: 'impersonation.denied',
        id,
        subject: undefined,
        actor: { sub: 'alice' },
        denial: { stage: 'exchange', error: 'invalid_request', reason: 'unknown or expired' },
      })
    expect(countRepeats([denied('a', 1), denied('b', 2)])).to.have.length(1)
    expect(countRepeats([denied('a', 1), denied('b', 3_600_001)])).to.have.length(2)
  })
})
