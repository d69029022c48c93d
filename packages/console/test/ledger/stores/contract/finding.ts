import assert from 'node:assert/strict'
import type { AuditCase } from './audit-case.ts'
import {
  ended,
  idOf,
  issued,
  many,
  namesOf,
  notify,
  put,
  removeOld,
  replayed,
  started,
  T,
  told,
  used,
} from './support.ts'

export const findingCases: readonly AuditCase[] = [
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
    title: 'finds rows with an alarm of which the deployment is to be told, until it is told',
    async run({ store }) {
      const dueAt = (time: number) =>
        namesOf(store, ['a', 'b'], { due: { to: 'deployment', before: time } })
      const about = { to: 'deployment', kind: 'replayed' } as const
      await put(store, replayed('a', T, { toTell: [about] }), replayed('b', T))
      assert.deepEqual(await dueAt(T), [])
      assert.deepEqual(await dueAt(T + 1), ['a'])
      await put(store, told('telling', 'a', T + 10, about))
      assert.deepEqual(await dueAt(T + 60_010), [], 'claimed for a minute')
      assert.deepEqual(await dueAt(T + 60_011), ['a'])
      await put(store, told('told', 'a', T + 20, about))
      assert.deepEqual(await dueAt(T + 9e9), [])
    },
  },
  {
    title: 'finds rows whose customer is to be told something, from then on until it is told',
    async run({ store }) {
      const names = ['a', 'b', 'c', 'd']
      const dueAt = (time: number) =>
        namesOf(store, names, { due: { to: 'customer', before: time } })
      await put(store, started('a', T, notify(0)), started('b', T + 1, notify(60)))
      await put(store, started('c', T + 2), issued('d', T + 3))
      assert.deepEqual(await dueAt(T), [])
      assert.deepEqual(await dueAt(T + 1), ['a'])
      assert.deepEqual(await dueAt(T + 60_001), ['a'], 'after its digest')
      assert.deepEqual(await dueAt(T + 60_002), ['b', 'a'])
      await put(store, told('telling', 'a', T + 10))
      assert.deepEqual(await dueAt(T + 60_010), ['b'], 'claimed for a minute')
      assert.deepEqual(await dueAt(T + 60_011), ['b', 'a'])
      await put(store, told('told', 'a', T + 20))
      assert.deepEqual(await dueAt(T + 600_000), ['b'])
      // An impersonation ends at the time of its token, ten minutes after the start. Its end is told a
      // little later.
      assert.deepEqual(await dueAt(T + 611_000), ['b', 'a'])
      await put(store, ended('b', T + 30_000))
      assert.deepEqual(await dueAt(T + 90_000), [], 'another start may follow')
      assert.deepEqual(await dueAt(T + 90_001), ['b'], 'start and end in one')
      await put(store, told('told', 'b', T + 50_000, { kind: 'ended' }))
      assert.deepEqual(await dueAt(T + 9e9), ['a'])
    },
  },
  {
    title: 'finds what could not be told again, after pauses that grow, and at last no more',
    async run({ store }) {
      const isDueAt = async (time: number) =>
        (await namesOf(store, ['a'], { due: { to: 'customer', before: time + 1 } })).length > 0
      await put(store, started('a', T, notify(0, ['started'])))
      const pauses = [1, 5, 30, 120, 720, 1440, 1440, 1440, 1440]
      for (const [index, minutes] of pauses.entries()) {
        const time = T + index * 9e7
        const failed = { attempt: index + 1, failures: index + 1 }
        await put(store, told('untold', 'a', time, failed))
        assert.equal(await isDueAt(time + minutes * 60_000 - 1), false, `${minutes} minutes`)
        assert.equal(await isDueAt(time + minutes * 60_000), true, `${minutes} minutes`)
      }
      await put(store, told('untold', 'a', T + 9e8, { attempt: 10, failures: 10 }))
      assert.equal(await isDueAt(T + 9e10), false, 'given up')
    },
  },
  {
    title: 'counts the rows that are newer and match, at most 1000',
    async run({ store }) {
      const names = many(1030, (index) => `${index}`)
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
