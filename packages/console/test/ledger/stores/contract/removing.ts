import assert from 'node:assert/strict'
import type { AuditStore } from 'oidc-provider-impersonation-console'
import { isUnstorable } from 'oidc-provider-impersonation-console/audit/contract'
import { hashOf } from 'oidc-provider-impersonation-verify/chain'
import type { AuditCase } from './audit-case.ts'
import {
  act,
  assertHas,
  exported,
  idOf,
  issued,
  namesOf,
  put,
  readOn,
  rejection,
  replayed,
  rowOf,
  T,
  times,
  used,
  writer,
} from './support.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e']

/** Removes until nothing is left to remove. */
async function removeAll(store: AuditStore, before: number, limit = 2): Promise<number> {
  let all = 0
  for (;;) {
    const removed = await store.remove(before, limit)
    if (removed === 0) return all
    all += removed
    if (all > 1000) assert.fail('it removes without an end')
  }
}

export const removingCases: readonly AuditCase[] = [
  {
    title: 'removes rows whose last entry is before the time, with the texts of their entries',
    async run({ store }) {
      for (const [index, name] of NAMES.entries()) {
        await put(store, issued(name, T + index), used(name, T + 10 * index))
      }
      const before = await readOn(store)
      assert.equal(await removeAll(store, T + 20), 2 * (1 + 2))
      assert.deepEqual(await namesOf(store, NAMES), ['e', 'd', 'c'])
      for (const name of ['a', 'b']) {
        assert.equal(await store.row(idOf(name)), undefined)
        assert.deepEqual(await store.timeline(idOf(name), { limit: 9 }), [])
      }
      assert.equal((await store.countNewer({}, { at: 0, id: idOf('a') }, T)).count, 3)
      assert.deepEqual(await namesOf(store, NAMES, { text: 'alice' }), ['e', 'd', 'c'])
      const after = await readOn(store)
      assert.deepEqual(
        after.map(({ text }) => text === undefined),
        before.map(({ row }) => row === idOf('a') || row === idOf('b')),
      )
      const link = ({ writer: by, sequence, digest, hash, cursor }: (typeof after)[number]) => {
        return { by, sequence, digest, hash, cursor }
      }
      assert.deepEqual(after.map(link), before.map(link))
      assert.equal(await removeAll(store, T + 20), 0)
    },
  },
  {
    title: 'removes at most so many rows at once, the oldest first or not, and goes on',
    async run({ store }) {
      for (const name of NAMES) await put(store, issued(name, T), used(name, T + 1))
      assert.equal(await store.remove(T + 9, 2), 2 * (1 + 2))
      assert.equal((await namesOf(store, NAMES)).length, 3)
      assert.equal(await store.remove(T + 9, 100), 3 * (1 + 2))
      assert.equal(await store.remove(T + 9, 100), 0)
      assert.deepEqual(await namesOf(store, NAMES), [])
    },
  },
  {
    title: 'keeps a row on hold with all its entries, until it is released',
    async run({ store }) {
      for (const [index, name] of NAMES.entries()) await put(store, issued(name, T + index))
      await put(store, act('held', 'b', T + 10), act('held', 'c', T + 10))
      await put(store, act('released', 'c', T + 11))
      await removeAll(store, T + 1000)
      assert.deepEqual(await namesOf(store, NAMES), ['b'])
      assert.deepEqual(times(await store.timeline(idOf('b'), { limit: 9 })), [T + 1, T + 10])
      await put(store, act('released', 'b', T + 20))
      await removeAll(store, T + 20)
      assert.deepEqual(await namesOf(store, NAMES), ['b'])
      await removeAll(store, T + 21)
      assert.deepEqual(await namesOf(store, NAMES), [])
    },
  },
  {
    title: 'removes old entries without a row, and no young ones',
    async run({ store }) {
      await put(store, issued('a', T + 9), exported(T), exported(T + 1), exported(T + 2))
      assert.equal(await removeAll(store, T + 2), 2)
      assert.deepEqual(times(await readOn(store)), [T + 9, undefined, undefined, T + 2])
    },
  },
  {
    title: 'keeps the first entry of a chain, where it has no row: the provider signed it',
    async run({ store }) {
      await put(store, exported(T), issued('a', T), exported(T))
      await put(store, exported(T))
      assert.equal(await removeAll(store, T + 2), 3)
      assert.deepEqual(times(await readOn(store)), [T, undefined, undefined, T])
      assert.equal(await removeAll(store, T + 1_000_000), 0)
    },
  },
  {
    title: 'keeps what says that something was erased, however old it is',
    async run({ store }) {
      const erased = { impersonations: [idOf('a')], permits: [], signed: 'e30.e30.x' }
      const quoted = { ...exported(T), note: '"event":"support.erased"' }
      await put(store, exported(T), { event: 'support.erased', timeMs: T, erased }, quoted)
      assert.equal(await removeAll(store, T + 1_000_000), 1)
      const left = (await readOn(store)).map(({ text }) => text?.includes('support.erased'))
      assert.deepEqual(left, [false, true, undefined])
    },
  },
  {
    title: 'keeps what a repetition made young again',
    async run({ store }) {
      const one = writer(store)
      await one.write(replayed('a', T), replayed('b', T))
      await one.write(replayed('a', T + 50))
      await removeAll(store, T + 50)
      assert.deepEqual(await namesOf(store, NAMES), ['a'])
      assert.deepEqual(times(await readOn(store)), [T, undefined])
    },
  },
  {
    title: 'says of each chain what is removed, and keeps chains that can be verified',
    async run({ store }) {
      const [one, two, three] = [writer(store), writer(store), writer(store)]
      await one.write(issued('a', T), issued('b', T + 100), used('a', T + 1), issued('c', T + 2))
      await one.write(used('b', T + 101), used('c', T + 3), issued('d', T + 200))
      await two.write(used('b', T + 100), exported(T + 5), used('b', T + 102))
      await three.write(issued('e', T + 300))
      await removeAll(store, T + 50)
      const removed = await store.removed()
      const of = (name: string) => removed.find(({ writer: by }) => by === name)
      assert.deepEqual(of(one.name), {
        writer: one.name,
        upTo: 6,
        except: [
          [2, 2],
          [5, 5],
        ],
      })
      assert.deepEqual(of(two.name), { writer: two.name, upTo: 2, except: [[1, 1]] })
      assert.equal(of(three.name), undefined)
      const stored = await readOn(store)
      for (const { name } of [one, two, three]) {
        let hash: string = name
        for (const link of stored.filter(({ writer: by }) => by === name)) {
          hash = hashOf(hash, link.digest)
          assert.equal(link.hash, hash)
        }
      }
      assert.deepEqual((await store.heads()).map(({ sequence }) => sequence).toSorted(), [1, 3, 7])
      await removeAll(store, T + 1000)
      assert.deepEqual((await store.heads()).map(({ sequence }) => sequence).toSorted(), [1, 3, 7])
      for (const { except } of await store.removed()) assert.deepEqual(except, [])
    },
  },
  {
    title: 'counts nothing on what was removed, says so, and begins the row anew by a new entry',
    async run({ store }) {
      const one = writer(store)
      const { records } = await one.write(issued('a', T), replayed('a', T + 1))
      await removeAll(store, T + 50)
      const [, replay] = records
      const again = one.next([replayed('a', T + 100), replayed('a', T + 101)])
      assert.deepEqual(
        again.repetitions.map(({ repeatKey }) => repeatKey),
        [replay?.repeatKey],
      )
      // The same answer, however often it is written.
      for (let time = 0; time < 2; time += 1) {
        assert.deepEqual(await store.append(again), [replay?.repeatKey])
      }
      assert.equal(await store.row(idOf('a')), undefined)
      assert.deepEqual(times(await readOn(store)), [undefined, undefined])
      assert.deepEqual(await store.append(one.anew(again.repetitions)), [])
      assertHas(await store.row(idOf('a')), { at: T + 101, replays: 2, lastAt: T + 101 })
      await one.write(used('a', T + 102), replayed('a', T + 103))
      assertHas(await store.row(idOf('a')), { at: T + 101, replays: 3, reads: 1 })
      const timeline = await store.timeline(idOf('a'), { limit: 9 })
      assert.deepEqual(times(timeline), [T + 101, T + 102])
      assert.deepEqual(
        timeline.map(({ count }) => count),
        [3, 1],
      )
      assertHas((await store.heads())[0], { sequence: 4 })
    },
  },
  {
    title: 'counts nothing on what was removed, also not in a row that another writer began anew',
    async run({ store }) {
      const one = writer(store)
      const { records } = await one.write(replayed('a', T))
      await removeAll(store, T + 50)
      await put(store, used('a', T + 60))
      assertHas(await one.write(replayed('a', T + 100)), { number: 2 })
      assertHas(await store.row(idOf('a')), { replays: 0, reads: 1, lastAt: T + 60 })
      const again = one.next([replayed('a', T + 101)])
      assert.deepEqual(await store.append(again), [records[0]?.repeatKey])
    },
  },
  {
    title: 'removes a row of thousands of entries, of several writers, at once',
    async run({ store }) {
      const [one, two] = [writer(store), writer(store)]
      for (const each of [one, two]) {
        await each.write(...Array.from({ length: 1500 }, (_, index) => used('a', T + index)))
      }
      assert.equal(await store.remove(T + 5000, 9), 3001)
      assert.equal(await store.row(idOf('a')), undefined)
      assert.equal(
        (await readOn(store, undefined, 500)).every(({ text }) => text === undefined),
        true,
      )
      for (const { upTo, except } of await store.removed()) {
        assert.deepEqual({ upTo, except }, { upTo: 1500, except: [] })
      }
    },
  },
  {
    title: 'says what was removed by what was removed, and not by what is left',
    async run({ store }) {
      const one = writer(store)
      const names = Array.from({ length: 60 }, (_, index) => `${index}`)
      await one.write(...names.map((name) => issued(name, T)))
      await one.write(...names.map((name) => used(name, T + 1)))
      const sequences = new Set<number>()
      // From both sides, into gaps, and between two.
      for (const index of [10, 12, 11, 40, 9, 13, 58, 0, 59, 1]) {
        await store.removeRow(idOf(`${index}`), () => true)
        for (const at of [index + 1, index + 61]) sequences.add(at)
        const [removed, ...others] = await store.removed()
        assert.deepEqual(others, [])
        const { writer: by, upTo = 0, except = [] } = removed ?? {}
        assert.equal(by, one.name)
        assert.equal(upTo, Math.max(...sequences))
        const left = except.flatMap(([first, last]) => {
          return Array.from({ length: last - first + 1 }, (_, more) => first + more)
        })
        const expected = Array.from({ length: upTo }, (_, more) => more + 1)
        assert.deepEqual(
          left,
          expected.filter((each) => !sequences.has(each)),
        )
        assert.ok(except.length <= sequences.size + 1)
      }
      const { except = [] } = (await store.removed())[0] ?? {}
      // 1 and 2, 10 to 14, 41, 59 to 62, 70 to 74, 101, 119 and 120.
      assert.equal(except.length, 6)
    },
  },
  {
    title: 'removes one row, young as it is, with its words and the texts of its entries',
    async run({ store, another }) {
      for (const name of ['a', 'b']) await put(store, issued(name, T), used(name, T + 1))
      const seen: unknown[] = []
      const other = await another()
      const gone = await other.removeRow(idOf('a'), (row) => seen.push(row) > 0)
      assert.equal(gone, true)
      assert.deepEqual(seen, [rowOf('a', issued('a', T), used('a', T + 1))])
      assert.equal(await store.row(idOf('a')), undefined)
      assert.deepEqual(await store.timeline(idOf('a'), { limit: 9 }), [])
      assert.deepEqual(await namesOf(store, NAMES), ['b'])
      assert.deepEqual(await namesOf(store, NAMES, { text: 'alice' }), ['b'])
      assert.deepEqual(await namesOf(store, NAMES, { customer: 'alice' }), ['b'])
      assert.deepEqual(times(await readOn(store)), [undefined, undefined, T, T + 1])
      assert.deepEqual(
        (await store.removed()).map(({ upTo }) => upTo),
        [2],
      )
      assert.equal(await store.removeRow(idOf('a'), () => true), false)
      await store.overwriteRemoved()
      assert.equal(await store.removeRow("' OR 1=1 --", () => true), false)
      // What is told later begins it anew.
      await put(store, used('a', T + 2))
      assertHas(await store.row(idOf('a')), { at: T + 2, reads: 1 })
    },
  },
  {
    title: 'removes no row that may not go as it is in the moment of its removal',
    async run({ store, another }) {
      await put(store, issued('a', T))
      assert.equal(await store.removeRow(idOf('a'), ({ hold }) => hold !== undefined), false)
      assert.deepEqual(times(await store.timeline(idOf('a'), { limit: 9 })), [T])
      const other = await another()
      for (let at = 1; at <= 10; at += 1) {
        const name = `held ${at}`
        await put(store, issued(name, T))
        const [held] = await Promise.allSettled([
          put(store, act('held', name, T + at)),
          other.removeRow(idOf(name), ({ hold }) => !hold?.isHeld),
        ])
        const row = await store.row(idOf(name))
        // The hold came before the removal, or there was nothing to hold: it never begins a row.
        if (held.status === 'fulfilled') assert.equal(row?.hold?.isHeld, true)
        else assert.deepEqual([isUnstorable(held.reason), row], [true, undefined])
      }
      const late = await rejection(put(store, act('held', 'gone', T)))
      assert.deepEqual([isUnstorable(late), await store.row(idOf('gone'))], [true, undefined])
      for (let round = 0; round < 3; round += 1) {
        await Promise.all([
          other.removeRow(idOf('a'), () => true),
          ...Array.from({ length: 9 }, (_, index) => put(store, used('a', T + 9 * round + index))),
        ])
        const timeline = await store.timeline(idOf('a'), { limit: 99 })
        assert.equal((await store.row(idOf('a')))?.reads ?? 0, timeline.length)
      }
    },
  },
  {
    title: 'keeps checkpoints, and returns the newest first',
    async run({ store }) {
      await store.keepCheckpoint('e30.one.x', T + 1)
      await store.keepCheckpoint(`e30.${'x'.repeat(20_000)}.x`, T + 3)
      await store.keepCheckpoint('e30.two.x', T + 2)
      const all = await store.checkpoints(10)
      assert.deepEqual(
        all.map((jws) => jws.length),
        [20_006, 9, 9],
      )
      assert.deepEqual(await store.checkpoints(2), all.slice(0, 2))
      assert.equal(all[1], 'e30.two.x')
    },
  },
]
