import { expect } from 'chai'
import fc from 'fast-check'
import {
  type AuditEntry,
  type AuditRow,
  fold,
  isAlarmOpen,
  outcomeOf,
} from 'oidc-provider-impersonation-verify/format'
import {
  act,
  ended,
  idOf,
  issued,
  many,
  notify,
  refused,
  replayed,
  rowOf as rowOfName,
  started,
  T,
  told,
  used,
} from './stores/contract/support.ts'

const rowOf = (...entries: readonly AuditEntry[]): AuditRow =>
  rowOfName('a', ...entries) ?? expect.fail()

/** A refused exchange of a token that there is. */
function attempted(time: number, more: Partial<AuditEntry> = {}): AuditEntry {
  const { denial } = refused(time)
  return {
    event: 'impersonation.denied',
    timeMs: time,
    id: idOf('a'),
    userId: 'alice',
    denial,
    ...more,
  }
}

/** All that can happen to one impersonation, as several processes tell it. */
const HAPPENINGS: readonly AuditEntry[] = [
  issued('a', T, { scope: 'orders profile', resource: ['https://other', 'https://api'] }),
  started('a', T + 10, {
    ...notify(60),
    names: { user: { name: 'Alice' }, actor: { name: 'Olivia' } },
  }),
  used('a', T + 20),
  used('a', T + 30, { method: 'POST' }),
  used('a', T + 40, { refused: { by: 'scope', description: 'd' } }),
  used('a', T + 50, { status: 500 }),
  attempted(T + 5, { actor: { sub: 'mallory' } }),
  attempted(T + 60),
  replayed('a', T + 70, { actor: { sub: 'mallory' }, mayAct: { sub: 'olivia' } }),
  ended('a', T + 80, { end: { at: 1, cause: 'user', by: { sub: 'alice' }, reason: 'no' } }),
  act('objected', 'a', T + 90, { note: 'not me' }),
  act('acknowledged', 'a', T + 95, { alarms: 2 }),
  act('acknowledged', 'a', T + 94, { alarms: 3, by: 'heidi' }),
  act('held', 'a', T + 100, { note: 'case 7' }),
  told('telling', 'a', T + 101),
  told('untold', 'a', T + 102, { failures: 3 }),
  told('telling', 'a', T + 103, { attempt: 2, failures: 3 }),
  told('told', 'a', T + 104, { attempt: 2, kind: 'ended' }),
  told('telling', 'a', T + 105, { attempt: 3 }),
  act('released', 'a', T + 110),
].map((entry, index) => ({
  ...entry,
  // All entries of a token have its context.
  ...('context' in entry && { context: { ticketId: 'SUP-1', reason: 'r' } }),
  count: 1 + (index % 3),
}))

describe('the row of an impersonation', () => {
  it('is the same in whatever order its entries are stored', () => {
    const sum = (all: readonly AuditEntry[]) =>
      all.reduce<AuditRow | undefined>((row, each) => fold(row, idOf('a'), each), undefined)
    const withoutStart = HAPPENINGS.filter(({ event }) => event !== 'impersonation.started')
    for (const happenings of [HAPPENINGS, withoutStart]) {
      const expected = sum(happenings)
      const shuffled = fc.shuffledSubarray([...happenings], { minLength: happenings.length })
      fc.assert(
        fc.property(shuffled, (all) => {
          expect(sum(all)).to.deep.equal(expected)
        }),
        { numRuns: 1000 },
      )
    }
  })

  it('has the newest request, in whatever order two of one moment are stored', () => {
    const [one, other] = [used('a', T + 20), used('a', T + 20, { method: 'POST' })]
    const newest = (...all: readonly AuditEntry[]) => rowOf(...all).lastUse
    expect(newest(one, other)).to.deep.equal(newest(other, one))
    const denied = used('a', T + 95, { refused: { by: 'scope', description: 'd' } })
    expect(newest(one, denied)).to.include({ at: T + 95, isRefused: true })
    expect(newest(ended('a', T + 99))).to.equal(undefined)
  })

  it('I13: a request to an API proves a start that has no entry, until the entry is there', () => {
    const asked = issued('a', T, { expiresAt: (T + 60_000) / 1000 })
    const uses = [used('a', T + 90_000), used('a', T + 20_000)]
    const proven = rowOf(asked, ...uses)
    expect(proven).to.include({
      startedAt: T + 20_000,
      isStartInferred: true,
      expiresAt: T + 90_000,
      reads: 2,
    })
    expect(outcomeOf(proven, T + 89_000)).to.equal('running')
    expect(outcomeOf(proven, T + 90_000), 'never unused').to.equal('expired')
    const known = rowOf(asked, ...uses, started('a', T + 10_000, { expiresAt: T / 1000 + 600 }))
    expect(known).to.include({ startedAt: T + 10_000, expiresAt: T + 600_000 })
    expect(known).not.to.have.property('isStartInferred')
  })

  it('says who acted as whom, where, why, and until when', () => {
    const row = rowOf(issued('a', T), started('a', T + 1))
    expect(row).to.deep.equal({
      id: idOf('a'),
      at: T,
      lastAt: T + 1,
      customer: { id: 'alice' },
      operator: { id: 'olivia' },
      ticket: 'SUP-1',
      reason: 'Order lost',
      application: 'shop',
      requestedBy: 'backend',
      resource: 'https://api.example.com',
      scope: 'orders',
      jti: `impersonation:${idOf('a')}`,
      askedAt: T,
      startedAt: T + 1,
      expiresAt: T + 600_000,
      ...{ reads: 0, changes: 0, refused: 0, failed: 0, denied: 0, replays: 0 },
    })
  })

  it('never names as operator a person who only tried, before the grant or after it', () => {
    const attempts = [
      replayed('a', T, { actor: { sub: 'mallory' } }),
      attempted(T, { actor: { sub: 'mallory' } }),
    ]
    const unbound = { mayAct: undefined }
    for (const attempt of attempts) {
      expect(rowOf(attempt).operator).to.equal(undefined)
      const row = rowOf(issued('a', T, unbound), attempt, started('a', T + 1, unbound), attempt)
      expect(row.operator).to.deep.equal({ id: 'olivia' })
      expect(rowOf({ ...attempt, mayAct: { sub: 'olivia' } }).operator).to.deep.equal({
        id: 'olivia',
      })
    }
    const other = started('a', T + 1, { actor: { sub: 'oscar' } })
    expect(rowOf(issued('a', T), other).operator, 'who acted').to.deep.equal({ id: 'oscar' })
    expect(rowOf(refused(T)).operator, 'who asked and was refused').to.deep.equal({ id: 'olivia' })
  })

  it('gives a name to the person it belongs to, also when it becomes known later', () => {
    const names = { user: { name: 'Alice', email: 'a@x' }, actor: { name: 'Mallory' } }
    const attempt = replayed('a', T, {
      actor: { sub: 'mallory' },
      mayAct: { sub: 'olivia' },
      names,
    })
    const row = rowOf(issued('a', T), attempt)
    expect(row.customer).to.deep.equal({ id: 'alice', name: 'Alice', email: 'a@x' })
    expect(row.operator).to.deep.equal({ id: 'olivia' })
    const later = rowOf(issued('a', T), started('a', T, { names: { actor: { email: 'o@x' } } }))
    expect(later.operator).to.deep.equal({ id: 'olivia', email: 'o@x' })
    const renamed = started('a', T, { names: { actor: { name: 'New', email: 'new@x' } } })
    const first = issued('a', T, { names: { actor: { name: 'Old' } } })
    expect(rowOf(first, renamed).operator).to.deep.equal({
      id: 'olivia',
      name: 'Old',
      email: 'new@x',
    })
  })

  it('counts reads, changes, what was refused and what failed', () => {
    const requests = [
      ...['GET', 'HEAD', 'OPTIONS', undefined].map((method) => used('a', T, { method })),
      ...['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'].map((method) => used('a', T, { method })),
      used('a', T, { status: 399 }),
      used('a', T, { status: undefined }),
      used('a', T, { status: 400 }),
      used('a', T, { status: 500, method: 'POST' }),
      used('a', T, { status: 403, refused: { by: 'impersonation', description: 'd' } }),
    ]
    expect(rowOf(...requests)).to.include({ reads: 6, changes: 5, failed: 2, refused: 1 })
  })

  it('says how it ended: by the first end', () => {
    const first = ended('a', T + 5, { end: { at: 1, cause: 'policy', reason: 'night' } })
    const second = ended('a', T + 9)
    for (const row of [rowOf(first, second), rowOf(second, first)]) {
      expect(row.end).to.deep.equal({ at: T + 5, cause: 'policy', reason: 'night' })
      expect(outcomeOf(row, T)).to.equal('policy')
    }
  })

  it('has an alarm of each kind, and none of what is no reason for one', () => {
    const alarms: readonly [AuditEntry, string][] = [
      [replayed('a', T), 'replayed'],
      [used('a', T, { refused: { by: 'replay', description: 'd' } }), 'proof_reused'],
      [{ ...refused(T), protects: true }, 'protected'],
      [act('objected', 'a', T), 'objection'],
    ]
    for (const [entry, kind] of alarms) {
      expect(rowOf(entry).alarm, kind).to.deep.include({ at: T, kinds: [kind], count: 1 })
    }
    const all = rowOf(...alarms.map(([entry]) => entry))
    expect(all.alarm?.kinds).to.deep.equal(['objection', 'proof_reused', 'protected', 'replayed'])
    for (const entry of [
      issued('a', T),
      ended('a', T),
      ended('a', T, { end: { at: 1, cause: 'user' } }),
      used('a', T, { refused: { by: 'sender', description: 'd' } }),
      used('a', T, { status: 500 }),
      // The tab of the application asks once more after the end.
      used('a', T, { refused: { by: 'status', description: 'd' } }),
      refused(T),
    ]) {
      expect(rowOf(entry).alarm, entry.event).to.equal(undefined)
    }
  })

  it('has an open alarm until a lead has seen as many as there are, whenever they happened', () => {
    const seen = (alarms?: number) => act('acknowledged', 'a', T + 50, { alarms })
    const [one, two] = [replayed('a', T + 10), act('objected', 'a', T + 20)]
    expect(isAlarmOpen(rowOf(issued('a', T)))).to.equal(false)
    expect(isAlarmOpen(rowOf(one))).to.equal(true)
    expect(isAlarmOpen(rowOf(one, seen(1)))).to.equal(false)
    expect(isAlarmOpen(rowOf(one, seen(1), two)), 'stored late').to.equal(true)
    expect(isAlarmOpen(rowOf(one, two, seen(2), seen(1)))).to.equal(false)
    expect(isAlarmOpen(rowOf(one, seen()))).to.equal(true)
  })

  describe('has an alarm of refused acts together', () => {
    const denied = (path: string, at: number) =>
      used('a', at, { path, refused: { by: 'impersonation', description: 'd' } })
    const outOfScope = (count: number) =>
      many(count, (index) =>
        used('a', T + index, { path: `/${index}`, refused: { by: 'scope', description: 'd' } }),
      )
    const alarms = (...entries: AuditEntry[]) => rowOf(...entries).alarm?.count ?? 0

    it('for ten refusals, and again for each ten more, which waits for nobody', () => {
      expect(alarms(...outOfScope(9))).to.equal(0)
      expect(alarms(...outOfScope(10))).to.equal(1)
      expect(rowOf(...outOfScope(12)).alarm).to.deep.equal({
        ...{ at: T + 11, kinds: ['refused'], count: 1 },
      })
      expect(alarms(...outOfScope(20))).to.equal(2)
      expect(isAlarmOpen(rowOf(...outOfScope(20)))).to.equal(false)
    })

    it('for three different acts that are closed to impersonations, in any order', () => {
      const [one, two, three] = [denied('/c', T), denied('/a', T + 1), denied('/b', T + 2)]
      expect(alarms(one, two, denied('/a', T + 3))).to.equal(0)
      for (const entries of [
        [one, two, three],
        [three, one, two],
        [two, three, one],
      ]) {
        const { alarm, refusedActs } = rowOf(...entries)
        expect(alarm).to.deep.equal({ at: T + 2, kinds: ['refused'], count: 1 })
        expect(refusedActs?.denied).to.deep.equal(['GET /a', 'GET /b', 'GET /c'])
      }
    })
  })

  it('is waiting, running, expired, unused or refused as time goes', () => {
    const [asked, running] = [rowOf(issued('a', T)), rowOf(issued('a', T), started('a', T + 1))]
    expect(outcomeOf(asked, T + 59_999)).to.equal('waiting')
    expect(outcomeOf(asked, T + 60_000)).to.equal('unused')
    expect(outcomeOf(running, T + 599_999)).to.equal('running')
    expect(outcomeOf(running, T + 600_000)).to.equal('expired')
    expect(outcomeOf(rowOf(refused(T)), T)).to.equal('refused')
  })
})
