import assert from 'node:assert/strict'
import type { AuditCase } from './audit-case.ts'
import {
  act,
  assertHas,
  assertWholeLog,
  exported,
  found,
  idOf,
  issued,
  many,
  namesOf,
  put,
  readOn,
  removeOld,
  removeOne,
  replayed,
  T,
  times,
  used,
  writer,
} from './support.ts'

const FIFTY = many(50, (index) => `${index}`)

export const removingCases: readonly AuditCase[] = [
  {
    title: 'removes rows whose last entry is before the time, with the texts of their entries',
    async run({ store }) {
      await put(store, issued('old', T), used('old', T + 5), replayed('old', T + 9))
      await put(store, issued('young', T), used('young', T + 10), exported(T + 10))
      const before = await readOn(store)
      assert.equal(await removeOld(store, T + 10, 99), 1)
      assert.deepEqual(await namesOf(store, ['old', 'young']), ['young'])
      assert.equal(await store.row(idOf('old')), undefined)
      for (const filter of [{ alarm: 'any' as const }, { text: idOf('old') }]) {
        assert.deepEqual(await found(store, filter), [])
      }
      const after = await readOn(store)
      assert.deepEqual(times(after), [undefined, undefined, undefined, T, T + 10, T + 10])
      assert.deepEqual(
        after.map(({ digest, number }) => [digest, number]),
        before.map(({ digest, number }) => [digest, number]),
      )
      assert.equal(await removeOld(store, T + 10, 99), 0)
      await assertWholeLog(store)
    },
  },
  {
    title: 'removes at most so many rows at once, and goes on',
    async run({ store }) {
      for (const name of FIFTY.slice(0, 7)) await put(store, issued(name, T))
      assert.deepEqual([await removeOld(store, T + 1, 5), await removeOld(store, T + 1, 5)], [5, 2])
      assert.deepEqual(await found(store), [])
    },
  },
  {
    title: 'keeps a row on hold with all its entries, until it is released',
    async run({ store }) {
      await put(store, issued('a', T), act('held', 'a', T + 1))
      assert.equal(await removeOld(store, T + 100, 99), 0)
      assert.deepEqual(times(await store.timeline(idOf('a'), { limit: 9 })), [T, T + 1])
      await put(store, act('released', 'a', T + 2))
      assert.equal(await removeOld(store, T + 100, 99), 1)
    },
  },
  {
    title: 'removes old entries without a row, and no young ones, nor what says what was erased',
    async run({ store }) {
      const erased = { impersonations: [idOf('x')], permits: [], until: T }
      await put(store, exported(T), { event: 'support.erased', timeMs: T, erased }, exported(T + 9))
      assert.equal(await removeOld(store, T + 5, 99), 1)
      assert.deepEqual(times(await readOn(store)), [undefined, T, T + 9])
    },
  },
  {
    title: 'removes nothing that has another entry than was looked at, and nothing of another',
    async run({ store, another }) {
      const other = await another()
      await put(store, issued('a', T), issued('b', T))
      const old = await store.old(T + 1, 99)
      await put(other, used('a', T + 50))
      assert.equal(await store.remove(old), 1)
      assertHas(await store.row(idOf('a')), { reads: 1, askedAt: T })
      assert.equal(await store.row(idOf('b')), undefined)
      assert.equal(await removeOne(store, idOf('a')), 1)
      assert.equal(await removeOne(store, idOf('a')), 0)
      assert.equal(await store.remove({ sums: [{ id: "' OR 1=1 --", version: 1 }], alone: [] }), 0)
    },
  },
  {
    title: 'begins a row anew by what is told after its removal, also where another process had it',
    async run({ store, another }) {
      const one = writer(await another())
      await one.write(issued('a', T), used('a', T + 1))
      await removeOld(store, T + 10, 9)
      await one.write(used('a', T + 20), act('held', 'b', T))
      assertHas(await store.row(idOf('a')), { at: T + 20, reads: 1, askedAt: undefined })
      const texts = (await store.timeline(idOf('a'), { limit: 9 })).map(({ text }) => text?.length)
      assert.deepEqual(texts.slice(0, 2), [undefined, undefined])
      // A hold never begins a row.
      assert.equal(await store.row(idOf('b')), undefined)
    },
  },
  {
    title: 'removes nothing that becomes young while it removes, and loses nothing',
    async run({ store, another }) {
      const other = await another()
      await put(store, ...FIFTY.map((name) => issued(name, T)))
      const young = (async () => {
        const one = writer(other)
        for (const name of FIFTY) await one.write(used(name, T + 1000))
      })()
      for (const _ of FIFTY) await removeOld(store, T + 500, 1)
      await young
      for (const name of FIFTY) {
        const row = await store.row(idOf(name))
        assertHas(row, { lastAt: T + 1000, reads: 1 })
        // The row either stayed whole, or went and began anew.
        const first = row?.askedAt === undefined ? undefined : T
        assert.deepEqual(times(await store.timeline(idOf(name), { limit: 9 })), [first, T + 1000])
      }
      await assertWholeLog(store)
    },
  },
]
