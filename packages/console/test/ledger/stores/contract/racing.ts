import assert from 'node:assert/strict'
import type { StoredEntry } from 'oidc-provider-impersonation-console'
import { isUnstorable } from 'oidc-provider-impersonation-console/audit/contract'
import type { AuditCase } from './audit-case.ts'
import {
  assertHas,
  found,
  idOf,
  issued,
  notify,
  put,
  readOn,
  rejection,
  replayed,
  started,
  T,
  times,
  told,
  used,
  writer,
} from './support.ts'

const FIFTY = Array.from({ length: 50 }, (_, index) => index)

export const racingCases: readonly AuditCase[] = [
  {
    title: 'loses no entry and no count of several writers at once for one row',
    async run({ store, another }) {
      const stores = [store, await another(), await another()]
      await Promise.all(
        stores.map(async (each, from) => {
          const one = writer(each)
          for (const index of FIFTY) {
            const time = T + 1000 * from + index
            await one.write(used('a', time), replayed('a', time), used('b', time))
          }
        }),
      )
      assertHas(await store.row(idOf('a')), {
        at: T,
        lastAt: T + 2049,
        reads: 150,
        replays: 150,
        alarm: {
          ...{ at: T + 2049, kinds: ['replayed'], count: 150 },
        },
      })
      assertHas(await store.row(idOf('b')), { reads: 150 })
      const stored = await readOn(store, undefined, 100)
      assert.equal(stored.length, 303)
      assert.equal(
        stored.reduce((sum, { count }) => sum + count, 0),
        450,
      )
    },
  },
  {
    title: 'makes one row of what several writers begin at once',
    async run({ store, another }) {
      const stores = [store, await another(), await another()]
      await Promise.all(
        FIFTY.flatMap((index) => [
          put(stores[0] ?? store, issued(`${index}`, T + index)),
          put(stores[1] ?? store, started(`${index}`, T + index + 1)),
          put(stores[2] ?? store, used(`${index}`, T + index + 2)),
        ]),
      )
      const rows = await found(store, {}, { limit: 100 })
      assert.equal(rows.length, 50)
      for (const { askedAt, startedAt, reads, at } of rows) {
        assert.deepEqual([askedAt, startedAt, reads], [at, at + 1, 1])
      }
    },
  },
  {
    title: 'gives each attempt to tell a customer to one of several writers',
    async run({ store, another }) {
      const stores = [store, await another(), await another()]
      const claimAll = (attempt: number) =>
        Promise.all(
          stores.map((each) =>
            rejection(put(each, told('notifying', 'a', T + 60_000 * attempt, { attempt }))),
          ),
        )
      assert.equal((await claimAll(1)).every(isUnstorable), true, 'there is nothing to tell')
      await put(store, started('a', T, notify(0)))
      for (const attempt of [1, 2, 3, 4, 5]) {
        const refusals = (await claimAll(attempt)).filter((error) => error !== undefined)
        assert.equal(refusals.length, 2, `attempt ${attempt}`)
        assert.equal(refusals.every(isUnstorable), true)
      }
      assert.equal((await claimAll(7)).every(isUnstorable), true, 'none is left out')
      assert.equal((await readOn(store)).length, 6)
    },
  },
  {
    title: 'takes a batch once that is written twice at the same time',
    async run({ store, another }) {
      const other = await another()
      const { next } = writer(store)
      for (const index of FIFTY) {
        const batch = next([used('a', T + index), replayed('a', T + index)])
        await Promise.all([store.append(batch), other.append(batch)])
      }
      assertHas(await store.row(idOf('a')), { reads: 50, replays: 50 })
      const stored = await readOn(store, undefined, 100)
      assert.equal(stored.length, 51)
      assertHas(stored[1], { count: 50 })
    },
  },
  {
    title: 'lets a reader that reads on miss no entry of any writer',
    async run({ store, another }) {
      const [one, two, reader] = [await another(), await another(), store]
      const write = (to: typeof store, from: number) =>
        Promise.all(
          FIFTY.flatMap((index) =>
            [0, 1].map((half) => put(to, used('a', from + 2 * index + half))),
          ),
        )
      let isDone = false
      const written = Promise.all([write(one, T), write(two, T + 1000)]).finally(() => {
        isDone = true
      })
      const seen: StoredEntry[] = []
      for (;;) {
        const finished = isDone
        const more = await reader.entries({ after: seen.at(-1)?.cursor, limit: 20 })
        seen.push(...more)
        if (finished && more.length === 0) break
        await new Promise(setImmediate)
      }
      await written
      const expected = [0, 1000].flatMap((from) =>
        FIFTY.flatMap((index) => [T + from + 2 * index, T + from + 2 * index + 1]),
      )
      assert.deepEqual(
        times(seen).toSorted((a = 0, b = 0) => a - b),
        expected,
      )
      assert.deepEqual(await readOn(reader, undefined, 90), seen)
      assert.equal(await reader.newest(), seen.at(-1)?.cursor)
    },
  },
  {
    title: 'removes nothing that becomes young while it removes',
    async run({ store, another }) {
      const other = await another()
      const names = FIFTY.map(String)
      await put(store, ...names.map((name) => issued(name, T)))
      const one = writer(other)
      const young = (async () => {
        for (const name of names) await one.write(used(name, T + 1000))
      })()
      for (const _ of names) await store.remove(T + 500, 1)
      await young
      for (const name of names) {
        const row = await store.row(idOf(name))
        assertHas(row, { lastAt: T + 1000, reads: 1 })
        // The row either stayed whole, or went and began anew.
        const isWhole = row?.askedAt !== undefined
        const expected = isWhole ? [T, T + 1000] : [T + 1000]
        assert.deepEqual(times(await store.timeline(idOf(name), { limit: 9 })), expected)
      }
    },
  },
]
