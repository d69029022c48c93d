import assert from 'node:assert/strict'
import type { AuditCase } from './audit-case.ts'
import {
  act,
  assertSame,
  ended,
  found,
  idOf,
  issued,
  namesOf,
  notify,
  put,
  refused,
  removeOld,
  replayed,
  started,
  T,
  told,
  used,
} from './support.ts'

export const findingCases: readonly AuditCase[] = [
  {
    title: 'lists rows newest first, also where many began at the same time',
    async run({ store }) {
      const names = Array.from({ length: 60 }, (_, index) => `${index}`)
      for (const [index, name] of names.entries()) await put(store, issued(name, T + (index % 3)))
      const place = (name: string) => ({ at: T + (Number(name) % 3), id: idOf(name) })
      const expected = names
        .map(place)
        .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
        .map(({ id }) => id)
      for (const limit of [1, 2, 7, 20, 60, 200]) {
        const rows = await found(store, {}, { limit })
        assert.deepEqual(
          rows.map(({ id }) => id),
          expected,
          `${limit}`,
        )
      }
    },
  },
  {
    title: 'orders ids as bytes: capital letters, signs and digits',
    async run({ store }) {
      const ids = ['-', '0', '9', 'A', 'B', 'Z', '_', 'a', 'b', 'z', 'aA', 'Aa', '-a', '_A']
      const padded = ids.map((id) => id.padEnd(43, '0'))
      for (const id of padded.toSorted(() => 0)) await put(store, { ...issued('', T), id })
      const expected = padded.toSorted((a, b) => (a < b ? 1 : -1))
      const rows = await found(store, {}, { limit: 2 })
      assert.deepEqual(
        rows.map(({ id }) => id),
        expected,
      )
      for (const [index, id] of expected.entries()) {
        assert.equal((await store.countNewer({}, { at: T, id }, T)).count, index, id)
      }
    },
  },
  {
    title: 'says that there is no older page exactly where there is none',
    async run({ store }) {
      for (const name of ['a', 'b', 'c', 'd']) await put(store, issued(name, T))
      const first = await store.find({}, { limit: 2, now: T })
      assert.equal(typeof first.next, 'string')
      assert.equal(encodeURIComponent(first.next ?? ''), first.next)
      const second = await store.find({}, { before: first.next, limit: 2, now: T })
      assert.deepEqual([first.rows.length, second.rows.length], [2, 2])
      assert.equal(second.next, undefined)
      assert.equal((await store.find({}, { limit: 4, now: T })).next, undefined)
      assert.equal((await store.find({ customer: 'x' }, { limit: 4, now: T })).next, undefined)
    },
  },
  {
    title: 'goes on from a page where the reader was, although rows came and went meanwhile',
    async run({ store }) {
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
      for (const [index, name] of names.slice(0, 6).entries())
        await put(store, issued(name, T + index))
      const { next } = await store.find({}, { limit: 3, now: T })
      await put(store, issued('g', T + 100), used('f', T + 100), used('d', T + 100))
      await removeOld(store, T + 1, 10)
      const { rows } = await store.find({}, { before: next, limit: 9, now: T })
      assert.deepEqual(
        rows.map(({ id }) => id),
        [idOf('c'), idOf('b')],
      )
    },
  },
  {
    title: 'moves a row to its place when an earlier entry of another process is stored later',
    async run({ store }) {
      const names = ['a', 'b', 'c']
      await put(store, started('a', T + 30), started('b', T + 20), started('c', T + 10))
      await put(store, issued('a', T + 5))
      assert.deepEqual(await namesOf(store, names), ['b', 'c', 'a'])
      assert.deepEqual(await namesOf(store, names, { from: T + 6 }), ['b', 'c'])
      assert.deepEqual(await namesOf(store, names, { to: T + 6 }), ['a'])
      assert.equal((await store.countNewer({}, { at: T + 5, id: idOf('a') }, T)).count, 2)
    },
  },
  {
    title: 'finds rows of a range: from is included, to is not',
    async run({ store }) {
      const names = ['a', 'b', 'c', 'd']
      for (const [index, name] of names.entries()) await put(store, issued(name, T + index))
      assert.deepEqual(await namesOf(store, names, { from: T + 1 }), ['d', 'c', 'b'])
      assert.deepEqual(await namesOf(store, names, { to: T + 1 }), ['a'])
      assert.deepEqual(await namesOf(store, names, { from: T + 1, to: T + 3 }), ['c', 'b'])
      assert.deepEqual(await namesOf(store, names, { from: T + 3, to: T + 1 }), [])
      assert.equal(
        (await namesOf(store, names, { from: 0, to: Number.MAX_SAFE_INTEGER })).length,
        4,
      )
    },
  },
  {
    title: 'finds rows of an operator and of a customer: by the whole id, with its case',
    async run({ store }) {
      const of = (userId: string, sub: string) => ({ userId, mayAct: { sub } })
      await put(
        store,
        issued('a', T, of('alice', 'olivia')),
        issued('b', T + 1, of('bob', 'olivia')),
        issued('c', T + 2, of('alice', 'Olivia')),
        issued('d', T + 3, of('ali', 'oli_ia')),
        issued('e', T + 4, of('a%', '')),
        issued('f', T + 5, { mayAct: undefined }),
      )
      const names = ['a', 'b', 'c', 'd', 'e', 'f']
      assert.deepEqual(await namesOf(store, names, { operator: 'olivia' }), ['b', 'a'])
      assert.deepEqual(await namesOf(store, names, { operator: 'oli_ia' }), ['d'])
      assert.deepEqual(await namesOf(store, names, { operator: '' }), ['e'])
      assert.deepEqual(await namesOf(store, names, { customer: 'alice' }), ['f', 'c', 'a'])
      assert.deepEqual(await namesOf(store, names, { customer: 'ali' }), ['d'])
      assert.deepEqual(await namesOf(store, names, { customer: 'a%' }), ['e'])
      assert.deepEqual(await namesOf(store, names, { customer: 'alice', operator: 'olivia' }), [
        'a',
      ])
      assert.deepEqual(await namesOf(store, names, { customer: "' OR 1=1 --\0" }), [])
    },
  },
  {
    title: 'finds the rows of an operator who is known later, and of the one who was granted it',
    async run({ store }) {
      await put(store, issued('a', T, { mayAct: undefined }))
      await put(store, replayed('a', T + 1, { actor: { sub: 'mallory' } }))
      await put(store, started('a', T + 2, { mayAct: undefined, actor: { sub: 'oscar' } }))
      assert.deepEqual(await namesOf(store, ['a'], { operator: 'oscar' }), ['a'])
      assert.deepEqual(await namesOf(store, ['a'], { operator: 'mallory' }), [])
    },
  },
  {
    title: 'finds the rows of a ticket: by the whole number, however it is written',
    async run({ store }) {
      const tickets = {
        a: 'SUP-1',
        b: 'sup-1',
        c: 'SUP-12',
        d: 'SUP_1',
        e: 'Straße %',
        f: 'ÄRGER\0',
        g: 'sup -１',
      }
      const names = Object.keys(tickets)
      for (const [index, [name, ticketId]] of Object.entries(tickets).entries()) {
        await put(store, issued(name, T + index, { context: { ticketId } }))
      }
      await put(store, issued('none', T, { context: {} }))
      assert.deepEqual(await namesOf(store, names, { ticket: 'Sup-1' }), ['g', 'b', 'a'])
      assert.deepEqual(await namesOf(store, names, { ticket: 'SUP' }), [])
      assert.deepEqual(await namesOf(store, names, { ticket: 'sup_1' }), ['d'])
      assert.deepEqual(await namesOf(store, names, { ticket: 'STRAßE %' }), ['e'])
      assert.deepEqual(await namesOf(store, names, { ticket: 'ärger\0' }), ['f'])
    },
  },
  {
    title: 'finds rows by each outcome, which time changes',
    async run({ store }) {
      const cause = (name: 'operator_signed_out' | 'policy' | 'replay' | 'requested' | 'user') =>
        ended(name, T + 3, { end: { at: 1, cause: name } })
      const causes = ['requested', 'user', 'operator_signed_out', 'replay', 'policy'] as const
      await put(store, issued('waiting', T), issued('running', T), started('running', T + 1))
      await put(store, ...causes.flatMap((name) => [started(name, T + 1), cause(name)]))
      await put(store, issued('unstarted', T), ended('unstarted', T + 1))
      await put(store, refused(T + 9))
      const names = ['waiting', 'running', 'unstarted', ...causes]
      const of = (outcome: Parameters<typeof found>[1], now: number) =>
        namesOf(store, names, outcome, now)
      assert.deepEqual(await of({ outcome: 'waiting' }, T + 59_999), ['waiting'])
      assert.deepEqual(await of({ outcome: 'unused' }, T + 59_999), [])
      assert.deepEqual(await of({ outcome: 'waiting' }, T + 60_000), [])
      assert.deepEqual(await of({ outcome: 'unused' }, T + 60_000), ['waiting'])
      assert.deepEqual(await of({ outcome: 'running' }, T + 599_999), ['running'])
      assert.deepEqual(await of({ outcome: 'expired' }, T + 599_999), [])
      assert.deepEqual(await of({ outcome: 'running' }, T + 600_000), [])
      assert.deepEqual(await of({ outcome: 'expired' }, T + 600_000), ['running'])
      assertSame(await of({ outcome: 'requested' }, T), ['requested', 'unstarted'])
      for (const name of causes.slice(1)) assert.deepEqual(await of({ outcome: name }, T), [name])
      assert.deepEqual(await of({ outcome: 'refused' }, T), [undefined])
    },
  },
  {
    title: 'finds rows with an alarm, and those whose alarm no lead has seen',
    async run({ store }) {
      const names = ['a', 'b', 'c', 'd', 'e']
      for (const [index, name] of names.entries()) await put(store, issued(name, T + index))
      const refusedUse = { refused: { by: 'scope', description: 'no' } } as const
      await put(
        store,
        replayed('a', T + 10),
        used('b', T + 10, refusedUse),
        act('objected', 'c', T + 11),
      )
      await put(store, ended('d', T + 12, { end: { at: 1, cause: 'user' } }), used('e', T + 12))
      assert.deepEqual(await namesOf(store, names, { alarm: 'any' }), ['c', 'a'])
      assert.deepEqual(await namesOf(store, names, { alarm: 'open' }), ['c', 'a'])
      assert.deepEqual(await namesOf(store, names, { alarm: 'objection' }), ['c'])
      await put(store, act('acknowledged', 'a', T + 50, { alarms: 1 }))
      assert.deepEqual(await namesOf(store, names, { alarm: 'open' }), ['c'])
      // It happened before the acknowledgement, and was stored after it.
      await put(store, replayed('a', T + 20), replayed('b', T + 20))
      assert.deepEqual(await namesOf(store, names, { alarm: 'open' }), ['c', 'b', 'a'])
      assert.deepEqual(await namesOf(store, names, { alarm: 'any' }), ['c', 'b', 'a'])
    },
  },
  {
    title: 'finds rows with an alarm of which the deployment is to be told, until it is told',
    async run({ store }) {
      const dueAt = (time: number) => namesOf(store, ['a', 'b'], { alertDueBefore: time })
      const alert = { kind: 'replayed', count: 1, attempt: 1, failures: 0 }
      const about = { id: idOf('a'), alert }
      await put(store, replayed('a', T, { isAlert: true }), replayed('b', T))
      assert.deepEqual(await dueAt(T), [])
      assert.deepEqual(await dueAt(T + 1), ['a'])
      await put(store, { event: 'support.alerting', timeMs: T + 10, ...about })
      assert.deepEqual(await dueAt(T + 60_010), [], 'claimed for a minute')
      assert.deepEqual(await dueAt(T + 60_011), ['a'])
      await put(store, { event: 'support.alerted', timeMs: T + 20, ...about })
      assert.deepEqual(await dueAt(T + 9e9), [])
    },
  },
  {
    title: 'finds rows whose customer is to be told something, from then on until it is told',
    async run({ store }) {
      const names = ['a', 'b', 'c', 'd']
      const dueAt = (time: number) => namesOf(store, names, { noticeDueBefore: time })
      await put(store, started('a', T, notify(0)), started('b', T + 1, notify(60)))
      await put(store, started('c', T + 2), issued('d', T + 3))
      assert.deepEqual(await dueAt(T), [])
      assert.deepEqual(await dueAt(T + 1), ['a'])
      assert.deepEqual(await dueAt(T + 60_001), ['a'], 'after its digest')
      assert.deepEqual(await dueAt(T + 60_002), ['b', 'a'])
      await put(store, told('notifying', 'a', T + 10))
      assert.deepEqual(await dueAt(T + 60_010), ['b'], 'claimed for a minute')
      assert.deepEqual(await dueAt(T + 60_011), ['b', 'a'])
      await put(store, told('notified', 'a', T + 20))
      assert.deepEqual(await dueAt(T + 600_000), ['b'])
      // What runs ends at the time of its token, ten minutes after the start; what is told of it is
      // stored a little later.
      assert.deepEqual(await dueAt(T + 611_000), ['b', 'a'])
      await put(store, ended('b', T + 30_000))
      assert.deepEqual(await dueAt(T + 90_000), [], 'another start may follow')
      assert.deepEqual(await dueAt(T + 90_001), ['b'], 'start and end in one')
      const both = { kinds: ['ended', 'started'] as const }
      await put(store, told('notified', 'b', T + 50_000, both))
      assert.deepEqual(await dueAt(T + 9e9), ['a'])
    },
  },
  {
    title: 'finds the oldest first where that is asked for, page by page',
    async run({ store }) {
      const names = ['a', 'b', 'c', 'd', 'e']
      await put(store, ...names.map((name, index) => issued(name, T + (index >> 1))))
      const page = { now: T, limit: 50 }
      const newest = (await store.find({}, page)).rows.map(({ id }) => id)
      const found: string[] = []
      for (let before: string | undefined; ; ) {
        const { rows, next } = await store.find({}, { before, now: T, limit: 2, oldestFirst: true })
        found.push(...rows.map(({ id }) => id))
        before = next
        if (next === undefined) break
      }
      assert.deepEqual(found, newest.toReversed())
    },
  },
  {
    title: 'finds what could not be told again, after pauses that grow, and at last no more',
    async run({ store }) {
      const isDueAt = async (time: number) =>
        (await namesOf(store, ['a'], { noticeDueBefore: time + 1 })).length > 0
      await put(store, started('a', T, notify(0, ['started'])))
      const pauses = [1, 5, 30, 120, 720, 1440, 1440, 1440, 1440]
      for (const [index, minutes] of pauses.entries()) {
        const time = T + index * 9e7
        const failed = { attempt: index + 1, failures: index + 1 }
        await put(store, told('unnotified', 'a', time, failed))
        assert.equal(await isDueAt(time + minutes * 60_000 - 1), false, `${minutes} minutes`)
        assert.equal(await isDueAt(time + minutes * 60_000), true, `${minutes} minutes`)
      }
      await put(store, told('unnotified', 'a', T + 9e8, { attempt: 10, failures: 10 }))
      assert.equal(await isDueAt(T + 9e10), false, 'given up')
    },
  },
  {
    title: 'finds rows on hold, and no more when they are released',
    async run({ store }) {
      const names = ['a', 'b', 'c']
      for (const [index, name] of names.entries()) await put(store, issued(name, T + index))
      await put(store, act('held', 'a', T + 10), act('held', 'b', T + 10))
      await put(store, act('released', 'a', T + 11))
      assert.deepEqual(await namesOf(store, names, { held: true }), ['b'])
      await put(store, act('held', 'a', T + 12), act('released', 'b', T + 12))
      assert.deepEqual(await namesOf(store, names, { held: true }), ['a'])
    },
  },
  {
    title:
      'finds what nobody approved, and nothing that a rule wants to be looked at for other reasons',
    async run({ store }) {
      const reviews = {
        a: 'emergency',
        b: 'It is night; emergency',
        c: 'after a refusal by Bo',
        d: 'the emergency of a rule',
        e: undefined,
      }
      const names = Object.keys(reviews)
      for (const [index, [name, review]] of Object.entries(reviews).entries()) {
        await put(store, issued(name, T + index, { review }))
      }
      const found = await namesOf(store, names, { unapproved: true })
      assert.deepEqual(found, ['c', 'b', 'a'])
    },
  },
  {
    title: 'counts the rows that are newer and match, at most 1000',
    async run({ store }) {
      const names = Array.from({ length: 1030 }, (_, index) => `${index}`)
      const of = (index: number) => (index % 2 ? 'alice' : 'bob')
      await put(
        store,
        ...names.map((name, index) => issued(name, T + index, { userId: of(index) })),
      )
      const count = async (than: number, filter = {}) => {
        const newer = await store.countNewer(filter, { at: T + than, id: idOf(`${than}`) }, T)
        return newer.more ? `${newer.count} or more` : newer.count
      }
      assert.equal(await count(1029), 0)
      assert.equal(await count(1000), 29)
      assert.equal(await count(30), 999)
      assert.equal(await count(29), 1000)
      assert.equal(await count(28), '1000 or more')
      assert.equal(await count(0), '1000 or more')
      assert.equal(await count(1000, { customer: 'alice' }), 15)
      assert.equal(await count(1000, { customer: 'bob', to: T + 1010 }), 4)
      assert.equal((await store.countNewer({}, { at: 0, id: 'x' }, T)).count, 1000)
    },
  },
]
