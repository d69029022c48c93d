import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { StoredEntry } from 'oidc-provider-impersonation-console'
import { storedRowOf } from 'oidc-provider-impersonation-verify/chain'
import type { AuditCase } from './audit-case.ts'
import {
  allEntries,
  assertHas,
  batchOf,
  exported,
  idOf,
  issued,
  many,
  put,
  readOn,
  rejection,
  T,
  times,
  used,
} from './support.ts'

const TWENTY = many(20, (index) => T + index)

/** Cursors that no store made, and some that attempt an injection. */
const FORGED = [
  '',
  ' 1',
  '1 ',
  '01',
  '-1',
  '+1',
  '1.5x!',
  '1e3',
  '0x10',
  'one',
  '１',
  '1\n',
  '1\0',
  '+',
  '-',
  '$',
  '(1-1',
  '1-1-1',
  '1-',
  '01-1',
  '1-01',
  '.',
  '../..',
  '1.',
  '.a',
  `01.${'a'.repeat(43)}`,
  `-1.${'a'.repeat(43)}`,
  `1e3.${'a'.repeat(43)}`,
  `9007199254740993.${'a'.repeat(43)}`,
  `1.${'a'.repeat(5000)}`,
  `1.${'ä'.repeat(43)}`,
  `1.${'a'.repeat(42)}'`,
  `1.${'a'.repeat(43)}\n`,
  '18446744073709551615-18446744073709551615-1',
  "1' OR '1'='1",
  '1; DROP TABLE audit',
  '9'.repeat(40),
  '9'.repeat(5000),
]

export const readingCases: readonly AuditCase[] = [
  {
    title: 'reads all entries in their order, in pages of any size, and on from the last one',
    async run({ store }) {
      for (const time of TWENTY) await put(store, issued(`${time % 3}`, time))
      for (const limit of [1, 3, 20, 100]) {
        assert.deepEqual(times(await readOn(store, 0, limit)), TWENTY, `${limit}`)
      }
      const before = await readOn(store)
      const newest = await store.newest()
      assert.equal(newest, before.at(-1)?.number)
      assert.deepEqual(times(await readOn(store, before[1]?.number)), TWENTY.slice(2))
      assert.deepEqual(await store.entries({ after: newest, limit: 9 }), [])
      await put(store, exported(T + 30), issued('b', T + 31))
      assert.deepEqual(times(await store.entries({ after: newest, limit: 9 })), [T + 30, T + 31])
      const numbers = (await readOn(store)).map(({ number }) => number)
      assert.deepEqual(
        numbers,
        Array.from({ length: 22 }, (_, index) => index + 1),
      )
    },
  },
  {
    title: 'reads the entries of a row, or of several one after the other, and no others, in pages',
    async run({ store }) {
      for (const time of TWENTY) {
        await put(store, used('a', time), used('b', time), used('c', time), exported(time))
      }
      const wanted = ['c', 'none', 'a'].map(idOf)
      const seen = (all: readonly StoredEntry[]) =>
        times(all).map((time, index) => [all[index]?.row, time])
      const expected = (...names: string[]) =>
        names.flatMap((name) => TWENTY.map((time) => [idOf(name), time]))
      for (const limit of [1, 7, 20, 50]) {
        const one = await allEntries((after) => store.timeline(idOf('a'), { after, limit }))
        assert.deepEqual(seen(one), expected('a'), `${limit}`)
        const several = await allEntries<StoredEntry>((after, last) => {
          const left = wanted.slice(wanted.indexOf(last?.row ?? idOf('c')))
          return store.timelines(left, { after, limit })
        })
        assert.deepEqual(seen(several), expected('c', 'a'), `${limit}`)
      }
      assert.deepEqual(await store.timeline(idOf('none'), { limit: 9 }), [])
      assert.deepEqual(await store.timelines([], { limit: 9 }), [])
    },
  },
  {
    title: 'finds no row under an id that is none, whatever it is',
    async run({ store }) {
      await put(store, issued('a', T))
      const ids = ['', '*', '%', '_'.repeat(43), idOf('a').toLowerCase(), `${idOf('a')}x`]
      for (const id of [...ids, `${idOf('a')}\0`, '__proto__', "' OR 1=1 --", 'ä', randomUUID()]) {
        assert.equal(await store.row(id), undefined, id)
        assert.deepEqual(await store.timeline(id, { limit: 9 }), [], id)
        assert.deepEqual(await store.timelines([id], { limit: 9 }), [], id)
      }
    },
  },
  {
    title: 'files each sum behind its last entry, as both are at one moment, in pages of any size',
    async run({ store }) {
      const names = ['a', 'b', 'c', 'd', 'e']
      for (const [index, name] of names.entries()) {
        await put(store, issued(name, T), exported(T), used(names[index - 1] ?? name, T + 1))
      }
      for (const limit of [1, 7, 1000]) {
        const filed = await allEntries((after) => store.filed({ after, limit }))
        assert.deepEqual(times(filed), times(await readOn(store)))
        const sums = filed.filter(({ sum }) => sum)
        assert.equal(sums.length, names.length, `${limit}`)
        for (const { row = '', sum, number } of sums) {
          const alone = await store.row(row)
          assert.deepEqual(sum, { kind: 'impersonation', value: alone && storedRowOf(alone) })
          assert.equal((await store.timeline(row, { limit: 9 })).at(-1)?.number, number)
        }
      }
    },
  },
  {
    title: 'keeps seals by their number, the first of two, and finds that of an entry',
    async run({ store }) {
      assert.deepEqual(await store.seals(9), [])
      const two = { number: 2, last: 9, jws: 'two', mac: 'm' }
      assert.equal(await store.addSeal({ number: 1, last: 4, jws: 'one', mac: 'm' }), true)
      assert.equal(await store.addSeal(two), true)
      assert.equal(await store.addSeal({ ...two, jws: 'late' }), false)
      assert.deepEqual(await store.seals(1), ['two'])
      assert.deepEqual(await store.sealsAfter(1, 9), [two])
      const found = await Promise.all([1, 4, 5, 9, 10].map((entry) => store.sealOf(entry)))
      assert.deepEqual(found, [1, 1, 2, 2, undefined])
      await store.removeSeal({ ...two, jws: 'late' })
      assert.deepEqual(await store.newestSeals(1), [two])
      await store.removeSeal(two)
      assert.deepEqual(await store.seals(9), ['one'])
    },
  },
  {
    title: 'refuses a cursor that it cannot have made, and stays as it was',
    async run({ store }) {
      for (const time of TWENTY) await put(store, issued(`${time}`, time))
      for (const cursor of FORGED) {
        const told = JSON.stringify(cursor.slice(0, 50))
        const reads = {
          find: () => store.find({}, { before: cursor, limit: 5, now: T }),
          permits: () => store.permits({}, { before: cursor, limit: 5 }),
        }
        for (const [name, read] of Object.entries(reads)) {
          assertHas(await rejection(read()), { statusCode: 400 }, `${name} ${told}`)
        }
      }
      assert.deepEqual(times(await readOn(store)), TWENTY)
    },
  },
  {
    title: 'keeps what it has when it is opened again, and goes on from its numbers',
    async run({ store, another }) {
      const first = await batchOf(store, issued('a', T), used('a', T + 1))
      const deadline = store.deadlineIn(10_000)
      assert.deepEqual(await store.write(first, deadline), { is: 'stored', number: 1 })
      const stored = await readOn(store)
      const next = await another()
      assert.deepEqual(await readOn(next), stored)
      assert.deepEqual(await next.write(first, deadline), { is: 'stored', number: 1 })
      await put(next, used('a', T + 2))
      const last = stored.at(-1)?.number
      assert.deepEqual(times(await next.entries({ after: last, limit: 9 })), [T + 2])
      assertHas(await next.row(idOf('a')), { reads: 2 })
    },
  },
]
