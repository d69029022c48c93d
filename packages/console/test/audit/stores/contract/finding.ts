import { expect } from 'chai'
import {
  act,
  type ContractCase,
  ended,
  found,
  idOf,
  issued,
  namesOf,
  notify,
  put,
  refused,
  replayed,
  started,
  T,
  told,
  used,
} from './support.ts'

export const finding: readonly ContractCase[] = [
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
        expect(
          rows.map(({ id }) => id),
          `${limit}`,
        ).to.deep.equal(expected)
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
      expect(rows.map(({ id }) => id)).to.deep.equal(expected)
      for (const [index, id] of expected.entries()) {
        expect(await store.countNewer({}, { at: T, id }, T), id).to.equal(index)
      }
    },
  },
  {
    title: 'says that there is no older page exactly where there is none',
    async run({ store }) {
      for (const name of ['a', 'b', 'c', 'd']) await put(store, issued(name, T))
      const first = await store.find({}, { limit: 2, now: T })
      expect(first.next).to.be.a('string')
      expect(encodeURIComponent(first.next ?? '')).to.equal(first.next)
      const second = await store.find({}, { before: first.next, limit: 2, now: T })
      expect([first.rows.length, second.rows.length]).to.deep.equal([2, 2])
      expect(second.next).to.equal(undefined)
      expect((await store.find({}, { limit: 4, now: T })).next).to.equal(undefined)
      expect((await store.find({ customer: 'x' }, { limit: 4, now: T })).next).to.equal(undefined)
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
      await store.remove(T + 1, 10)
      const { rows } = await store.find({}, { before: next, limit: 9, now: T })
      expect(rows.map(({ id }) => id)).to.deep.equal([idOf('c'), idOf('b')])
    },
  },
  {
    title: 'moves a row to its place when an earlier entry of another process is stored later',
    async run({ store }) {
      const names = ['a', 'b', 'c']
      await put(store, started('a', T + 30), started('b', T + 20), started('c', T + 10))
      await put(store, issued('a', T + 5))
      expect(await namesOf(store, names)).to.deep.equal(['b', 'c', 'a'])
      expect(await namesOf(store, names, { from: T + 6 })).to.deep.equal(['b', 'c'])
      expect(await namesOf(store, names, { to: T + 6 })).to.deep.equal(['a'])
      expect(await store.countNewer({}, { at: T + 5, id: idOf('a') }, T)).to.equal(2)
    },
  },
  {
    title: 'finds rows of a range: from is included, to is not',
    async run({ store }) {
      const names = ['a', 'b', 'c', 'd']
      for (const [index, name] of names.entries()) await put(store, issued(name, T + index))
      expect(await namesOf(store, names, { from: T + 1 })).to.deep.equal(['d', 'c', 'b'])
      expect(await namesOf(store, names, { to: T + 1 })).to.deep.equal(['a'])
      expect(await namesOf(store, names, { from: T + 1, to: T + 3 })).to.deep.equal(['c', 'b'])
      expect(await namesOf(store, names, { from: T + 3, to: T + 1 })).to.deep.equal([])
      expect(await namesOf(store, names, { from: 0, to: Number.MAX_SAFE_INTEGER })).to.have.length(
        4,
      )
    },
  },
  {
    title: 'finds rows of an operator and of a customer: by the whole id, with its case',
    async run({ store }) {
      const of = (subject: string, sub: string) => ({ subject, mayAct: { sub } })
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
      expect(await namesOf(store, names, { operator: 'olivia' })).to.deep.equal(['b', 'a'])
      expect(await namesOf(store, names, { operator: 'oli_ia' })).to.deep.equal(['d'])
      expect(await namesOf(store, names, { operator: '' })).to.deep.equal(['e'])
      expect(await namesOf(store, names, { customer: 'alice' })).to.deep.equal(['f', 'c', 'a'])
      expect(await namesOf(store, names, { customer: 'ali' })).to.deep.equal(['d'])
      expect(await namesOf(store, names, { customer: 'a%' })).to.deep.equal(['e'])
      expect(await namesOf(store, names, { customer: 'alice', operator: 'olivia' })).to.deep.equal([
        'a',
      ])
      expect(await namesOf(store, names, { customer: "' OR 1=1 --\0" })).to.deep.equal([])
    },
  },
  {
    title: 'finds the rows of an operator who is known later, and of the one who was granted it',
    async run({ store }) {
      await put(store, issued('a', T, { mayAct: undefined }))
      await put(store, replayed('a', T + 1, { actor: { sub: 'mallory' } }))
      await put(store, started('a', T + 2, { mayAct: undefined, actor: { sub: 'oscar' } }))
      expect(await namesOf(store, ['a'], { operator: 'oscar' })).to.deep.equal(['a'])
      expect(await namesOf(store, ['a'], { operator: 'mallory' })).to.deep.equal([])
    },
  },
  {
    title: 'finds the rows of a ticket: by the whole number, in any case',
    async run({ store }) {
      const tickets = {
        a: 'SUP-1',
        b: 'sup-1',
        c: 'SUP-12',
        d: 'SUP_1',
        e: 'Straße %',
        f: 'ÄRGER\0',
      }
      const names = Object.keys(tickets)
      for (const [index, [name, ticketId]] of Object.entries(tickets).entries()) {
        await put(store, issued(name, T + index, { context: { ticketId } }))
      }
      await put(store, issued('none', T, { context: {} }))
      expect(await namesOf(store, names, { ticket: 'Sup-1' })).to.deep.equal(['b', 'a'])
      expect(await namesOf(store, names, { ticket: 'SUP' })).to.deep.equal([])
      expect(await namesOf(store, names, { ticket: 'sup_1' })).to.deep.equal(['d'])
      expect(await namesOf(store, names, { ticket: 'STRAßE %' })).to.deep.equal(['e'])
      expect(await namesOf(store, names, { ticket: 'ärger\0' })).to.deep.equal(['f'])
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
      expect(await of({ outcome: 'waiting' }, T + 59_999)).to.deep.equal(['waiting'])
      expect(await of({ outcome: 'unused' }, T + 59_999)).to.deep.equal([])
      expect(await of({ outcome: 'waiting' }, T + 60_000)).to.deep.equal([])
      expect(await of({ outcome: 'unused' }, T + 60_000)).to.deep.equal(['waiting'])
      expect(await of({ outcome: 'running' }, T + 599_999)).to.deep.equal(['running'])
      expect(await of({ outcome: 'expired' }, T + 599_999)).to.deep.equal([])
      expect(await of({ outcome: 'running' }, T + 600_000)).to.deep.equal([])
      expect(await of({ outcome: 'expired' }, T + 600_000)).to.deep.equal(['running'])
      expect(await of({ outcome: 'requested' }, T)).to.have.members(['requested', 'unstarted'])
      for (const name of causes.slice(1))
        expect(await of({ outcome: name }, T)).to.deep.equal([name])
      expect(await of({ outcome: 'refused' }, T)).to.deep.equal([undefined])
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
      expect(await namesOf(store, names, { alarm: 'any' })).to.deep.equal(['d', 'c', 'b', 'a'])
      expect(await namesOf(store, names, { alarm: 'open' })).to.deep.equal(['d', 'c', 'b', 'a'])
      expect(await namesOf(store, names, { alarm: 'urgent' })).to.deep.equal(['c', 'a'])
      await put(store, act('acknowledged', 'a', T + 50, { alarms: 1, urgency: 1 }))
      expect(await namesOf(store, names, { alarm: 'urgent' })).to.deep.equal(['c'])
      await put(store, act('acknowledged', 'b', T + 50, { alarms: 1 }))
      expect(await namesOf(store, names, { alarm: 'open' })).to.deep.equal(['d', 'c'])
      // It happened before the acknowledgement, and was stored after it.
      await put(store, replayed('b', T + 20))
      expect(await namesOf(store, names, { alarm: 'open' })).to.deep.equal(['d', 'c', 'b'])
      expect(await namesOf(store, names, { alarm: 'urgent' })).to.deep.equal(['c', 'b'])
      expect(await namesOf(store, names, { alarm: 'any' })).to.deep.equal(['d', 'c', 'b', 'a'])
    },
  },
  {
    title: 'finds rows whose customer is to be told something, from then on until it is told',
    async run({ store }) {
      const names = ['a', 'b', 'c', 'd']
      const dueAt = (time: number) => namesOf(store, names, { noticeDueBefore: time })
      await put(store, started('a', T, notify(0)), started('b', T + 1, notify(60)))
      await put(store, started('c', T + 2), issued('d', T + 3))
      expect(await dueAt(T)).to.deep.equal([])
      expect(await dueAt(T + 1)).to.deep.equal(['a'])
      expect(await dueAt(T + 60_001), 'after its digest').to.deep.equal(['a'])
      expect(await dueAt(T + 60_002)).to.deep.equal(['b', 'a'])
      await put(store, told('notifying', 'a', T + 10))
      expect(await dueAt(T + 60_010), 'claimed for a minute').to.deep.equal(['b'])
      expect(await dueAt(T + 60_011)).to.deep.equal(['b', 'a'])
      await put(store, told('notified', 'a', T + 20))
      expect(await dueAt(T + 600_000)).to.deep.equal(['b'])
      // What runs ends at the time of its token, ten minutes after the start; what is told of it is
      // stored a little later.
      expect(await dueAt(T + 611_000)).to.deep.equal(['b', 'a'])
      await put(store, ended('b', T + 30_000))
      expect(await dueAt(T + 40_001), 'start and end in one').to.deep.equal(['b'])
      const both = { kinds: ['ended', 'started'] as const }
      await put(store, told('notified', 'b', T + 50_000, both))
      expect(await dueAt(T + 9e9)).to.deep.equal(['a'])
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
      expect(found).to.deep.equal(newest.toReversed())
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
        expect(await isDueAt(time + minutes * 60_000 - 1), `${minutes} minutes`).to.equal(false)
        expect(await isDueAt(time + minutes * 60_000), `${minutes} minutes`).to.equal(true)
      }
      await put(store, told('unnotified', 'a', T + 9e8, { attempt: 10, failures: 10 }))
      expect(await isDueAt(T + 9e10), 'given up').to.equal(false)
    },
  },
  {
    title: 'finds rows on hold, and no more when they are released',
    async run({ store }) {
      const names = ['a', 'b', 'c']
      for (const [index, name] of names.entries()) await put(store, issued(name, T + index))
      await put(store, act('held', 'a', T + 10), act('held', 'b', T + 10))
      await put(store, act('released', 'a', T + 11))
      expect(await namesOf(store, names, { held: true })).to.deep.equal(['b'])
      await put(store, act('held', 'a', T + 12), act('released', 'b', T + 12))
      expect(await namesOf(store, names, { held: true })).to.deep.equal(['a'])
    },
  },
  {
    title: 'counts the rows that are newer and match, at most 100',
    async run({ store }) {
      const names = Array.from({ length: 130 }, (_, index) => `${index}`)
      const subject = (index: number) => (index % 2 ? 'alice' : 'bob')
      await put(
        store,
        ...names.map((name, index) => issued(name, T + index, { subject: subject(index) })),
      )
      const count = (than: number, filter = {}) =>
        store.countNewer(filter, { at: T + than, id: idOf(`${than}`) }, T)
      expect(await count(129)).to.equal(0)
      expect(await count(100)).to.equal(29)
      expect(await count(30)).to.equal(99)
      expect(await count(29)).to.equal(100)
      expect(await count(0)).to.equal(100)
      expect(await count(100, { customer: 'alice' })).to.equal(15)
      expect(await count(100, { customer: 'bob', to: T + 110 })).to.equal(4)
      expect(await store.countNewer({}, { at: 0, id: 'x' }, T)).to.equal(100)
    },
  },
]
