import assert from 'node:assert/strict'
import { entryDigestOf, hashOf } from 'oidc-provider-impersonation-verify/chain'
import type { AuditCase } from './audit-case.ts'
import {
  act,
  assertHas,
  assertWholeChains,
  decoded,
  ended,
  exported,
  found,
  idOf,
  issued,
  put,
  readOn,
  refused,
  replayed,
  rowOf,
  started,
  T,
  times,
  used,
  writer,
} from './support.ts'

/** Texts that a storage could change, cut, refuse or obey. */
export const ODD_TEXTS = {
  'key "\\ \0': 'NUL \0, ESC \u001b[2J, CSI \u009b, lines \r\n\u2028\u2029',
  emoji: '\u{1f980}\u200d', // with a joiner
  half: '\ud800',
  markup: '<img src=x onerror=alert(1)>',
  sql: "'; DROP TABLE audit; --",
  like: '100% _under_ back\\slash \\u0041 \\x41 {a} [b] $1 ?',
  backward: '\u202eecila',
  long: 'x'.repeat(20_000),
}

export const appendingCases: readonly AuditCase[] = [
  {
    title: 'is empty at first',
    async run({ store }) {
      assert.deepEqual(await store.find({}, { limit: 10, now: T }), {
        rows: [],
        next: undefined,
      })
      assert.equal((await store.countNewer({}, { at: 0, id: idOf('a') }, T)).count, 0)
      assert.equal(await store.row(idOf('a')), undefined)
      assert.deepEqual(await store.timeline(idOf('a'), { limit: 10 }), [])
      assert.deepEqual(await store.entries({ limit: 10 }), [])
      assert.equal(await store.newest(), undefined)
      assert.deepEqual(await store.heads(), [])
      assert.deepEqual(await store.removed(), [])
      assert.deepEqual(await store.checkpoints(10), [])
      assert.equal(await store.remove(T, 10), 0)
    },
  },
  {
    title: 'keeps every entry as it was, with its link',
    async run({ store }) {
      const entries = Object.values(ODD_TEXTS).map((text, index) =>
        started(`${index}`, T + index, {
          context: { ...ODD_TEXTS, text, nested: [1, null, { text }] },
        }),
      )
      const batch = await put(store, ...entries)
      const stored = await readOn(store)
      assert.deepEqual(decoded(stored), entries)
      for (const [index, entry] of stored.entries()) {
        const { sequence, text, digest, hash, row } = batch.records[index] ?? assert.fail()
        const link = { writer: batch.writer, sequence, text, digest, hash, row, count: 1 }
        assertHas(entry, { ...link, lastTime: undefined })
      }
    },
  },
  {
    title: 'keeps the row: the sum of its entries, whatever texts are in them',
    async run({ store }) {
      for (const [name, text] of Object.entries(ODD_TEXTS)) {
        const names = { user: { name: text, email: text }, actor: { name: text } }
        const entries = [
          issued(name, T, { context: { ticketId: text, reason: text }, names }),
          started(name, T + 1, { scope: text, resource: ['a', text] }),
          used(name, T + 2),
          used(name, T + 3, { method: 'POST', path: text }),
          used(name, T + 4, { refused: { by: 'scope', description: text } }),
          used(name, T + 5, { status: 404 }),
          act('objected', name, T + 6, { note: text }),
          act('acknowledged', name, T + 7, { note: text, alarms: 2 }),
          act('held', name, T + 8, { note: text }),
          ended(name, T + 9, { end: { at: 1, cause: 'user', reason: text } }),
        ]
        const one = writer(store)
        for (const [index, entry] of entries.slice(0, 5).entries()) {
          await one.write(entry)
          const sofar = rowOf(name, ...entries.slice(0, index + 1))
          assert.deepEqual(await store.row(idOf(name)), sofar, name)
        }
        await put(store, ...entries.slice(5))
        assert.deepEqual(await store.row(idOf(name)), rowOf(name, ...entries), name)
      }
    },
  },
  {
    title: 'stores a batch in its order, with all rows that it is about',
    async run({ store }) {
      const names = Array.from({ length: 300 }, (_, index) => `row ${index}`)
      const entries = names.flatMap((name, index) => [issued(name, T + index), used(name, T + 500)])
      await put(store, ...entries)
      assert.deepEqual(decoded(await readOn(store, undefined, 100)), entries)
      const rows = await found(store, {}, { limit: 100 })
      assert.deepEqual(
        rows.map(({ id }) => id),
        names.map(idOf).toReversed(),
      )
      assert.equal(
        rows.every(({ reads }) => reads === 1),
        true,
      )
    },
  },
  {
    title: 'stores a batch of a thousand large entries of one row',
    async run({ store }) {
      const long = `/${'x'.repeat(4000)}`
      const entries = Array.from({ length: 1000 }, (_, index) =>
        used('a', T + index, { path: long }),
      )
      await put(store, ...entries)
      assertHas(await store.row(idOf('a')), { reads: 1000, at: T, lastAt: T + 999 })
      assert.equal((await readOn(store, undefined, 300)).length, 1000)
    },
  },
  {
    title: 'changes nothing when a batch is written again, however late it is repeated',
    async run({ store }) {
      const one = writer(store)
      const first = await one.write(issued('a', T), replayed('a', T + 1), replayed('a', T + 2))
      await store.append(first)
      const second = await one.write(used('a', T + 3), replayed('a', T + 4))
      const third = await one.write(replayed('a', T + 5))
      for (const batch of [first, third, second, first]) await store.append(batch)
      assert.deepEqual(times(await readOn(store)), [T, T + 1, T + 3])
      const [, counted] = await store.entries({ limit: 9 })
      assertHas(counted, { count: 4, lastTime: T + 5 })
      assertHas(await store.row(idOf('a')), {
        reads: 1,
        replays: 4,
        alarm: {
          ...{ at: T + 5, kinds: ['replayed'], count: 4 },
        },
      })
    },
  },
  {
    title: 'writes a batch that only repeats, and the batch after it',
    async run({ store }) {
      const one = writer(store)
      await one.write(replayed('a', T))
      await one.write(replayed('a', T + 1))
      await one.write(used('a', T + 2))
      assert.deepEqual(times(await readOn(store)), [T, T + 2])
      assertHas(await store.row(idOf('a')), { replays: 2, reads: 1, lastAt: T + 2 })
    },
  },
  {
    title: 'counts what happens again on its entry, which keeps its place, text and cursor',
    async run({ store }) {
      const one = writer(store)
      await one.write(issued('a', T), replayed('a', T + 1))
      const [, before] = await store.entries({ limit: 9 })
      await one.write(used('a', T + 2), replayed('b', T + 3))
      await one.write(replayed('a', T + 8), replayed('a', T + 6), used('a', T + 7))
      const stored = await store.entries({ limit: 9 })
      assert.deepEqual(times(stored), [T, T + 1, T + 2, T + 3, T + 7])
      assert.deepEqual(stored[1], { ...before, count: 3, lastTime: T + 8 })
      assertHas(stored[3], { count: 1, lastTime: undefined })
      assertHas((await store.timeline(idOf('a'), { limit: 9 }))[1], { count: 3 })
      assertHas(await store.row(idOf('a')), { replays: 3, reads: 2, lastAt: T + 8 })
      assertHas(await store.row(idOf('b')), { replays: 1, lastAt: T + 3 })
      // A clock that is set back.
      await one.write(replayed('a', T + 4))
      const [, late] = await store.entries({ limit: 9 })
      assert.deepEqual(late, { ...before, count: 4, lastTime: T + 8 })
      assertHas(await store.row(idOf('a')), { replays: 4, lastAt: T + 8 })
    },
  },
  {
    title: 'counts nothing on the entry of another writer',
    async run({ store }) {
      await put(store, replayed('a', T), replayed('a', T + 1))
      await put(store, replayed('a', T + 2))
      assert.deepEqual(
        (await readOn(store)).map(({ count }) => count),
        [2, 1],
      )
      assertHas(await store.row(idOf('a')), { replays: 3 })
    },
  },
  {
    title: 'keeps an entry that is about no impersonation, in no row',
    async run({ store }) {
      await put(store, exported(T), issued('a', T + 1), exported(T + 2))
      const stored = await readOn(store)
      assert.deepEqual(
        stored.map(({ row }) => row),
        [undefined, idOf('a'), undefined],
      )
      assert.equal((await found(store)).length, 1)
      assert.deepEqual(times(await store.timeline(idOf('a'), { limit: 9 })), [T + 1])
    },
  },
  {
    title: 'gives every refused request without an impersonation a row of its own',
    async run({ store }) {
      const { records } = await put(
        store,
        refused(T),
        refused(T + 1, { userId: 'bob' }),
        refused(T + 2),
      )
      const rows = await found(store)
      assert.deepEqual(
        rows.map(({ id }) => id),
        records.map(({ row }) => row).toReversed(),
      )
      assert.deepEqual(
        rows.map(({ denied }) => denied),
        [1, 2],
      )
      assert.deepEqual(rows[1]?.refusal, { at: T, error: 'access_denied', reason: 'protected' })
    },
  },
  {
    title: 'keeps the last link of each chain, and chains that can be verified',
    async run({ store }) {
      const [one, two] = [writer(store), writer(store)]
      await one.write(issued('a', T), started('a', T + 1))
      await two.write(issued('b', T + 2))
      const first = (await store.heads()).find(({ writer: name }) => name === two.name)
      await two.write(used('b', T + 3), used('b', T + 4))
      await one.write(used('a', T + 5))
      const stored = await readOn(store)
      for (const { name } of [one, two]) {
        const chain = stored.filter(({ writer: by }) => by === name)
        assert.deepEqual(
          chain.map(({ sequence }) => sequence),
          [1, 2, 3],
        )
        let hash: string = name
        for (const link of chain) {
          assert.equal(link.digest, entryDigestOf(link.text ?? '', link.row))
          hash = hashOf(hash, link.digest)
          assert.equal(link.hash, hash)
        }
        const head = (await store.heads()).find(({ writer: by }) => by === name)
        assert.deepEqual(head, { writer: name, sequence: 3, hash })
      }
      assert.equal((await store.heads()).length, 2)
      assertHas(first, { sequence: 1, hash: stored[2]?.hash })
    },
  },
  {
    title:
      'refuses a batch for what is in it, stores nothing of it, and takes another in its place',
    async run({ store }) {
      const { next, undo, write } = writer(store)
      await write(issued('a', T))
      for (const time of [T + 0.5, Number.NaN, 2e300]) {
        const bad = next([started('a', T + 1), used('a', time), used('b', T + 2), exported(T + 3)])
        undo()
        const error: unknown = await store.append(bad).catch((reason: unknown) => reason)
        assertHas(error, { code: 'ERR_AUDIT_UNSTORABLE' }, `${time}`)
        assert.equal((await readOn(store)).length, 1)
        assert.deepEqual(await store.row(idOf('a')), rowOf('a', issued('a', T)))
        assert.equal(await store.row(idOf('b')), undefined)
      }
      const { number } = await write(started('a', T + 1), used('b', T + 2))
      assert.equal(number, 2)
      assert.deepEqual(times(await readOn(store)), [T, T + 1, T + 2])
      await assertWholeChains(store)
    },
  },
]
