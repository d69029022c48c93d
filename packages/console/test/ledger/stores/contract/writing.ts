import assert from 'node:assert/strict'
import type { AuditStore, StoredEntry } from 'oidc-provider-impersonation-console'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import type { AuditCase } from './audit-case.ts'
import {
  act,
  assertHas,
  assertSame,
  assertWholeLog,
  batchOf,
  decoded,
  ended,
  exported,
  found,
  idOf,
  issued,
  many,
  notify,
  put,
  readOn,
  refused,
  replayed,
  rowOf,
  started,
  T,
  times,
  told,
  used,
  writeNow,
  writer,
} from './support.ts'

/** Texts that a storage could change, cut, refuse or obey. */
export const ODD_TEXTS = {
  'key "\\ \0': 'NUL \0, ESC \u001b[2J, CSI \u009b, lines \r\n\u2028\u2029',
  emoji: '\u{1f980}\u200d', // with a joiner
  half: 'Zora\ud800',
  low: 'Zora\udc00Zora',
  markup: '<img src=x onerror=alert(1)>',
  sql: "'; DROP TABLE audit; --",
  like: '100% _under_ back\\slash \\u0041 \\x41 {a} [b] $1 ?',
  backward: '\u202eecila',
  long: 'x'.repeat(20_000),
}

const FIFTY = many(50, (index) => index)
const late = (entry: AuditEntry): AuditEntry => ({ ...entry, afterRestart: true })
const three = async (store: AuditStore, another: () => Promise<AuditStore>) =>
  [store, await another(), await another()] as const

export const writingCases: readonly AuditCase[] = [
  {
    title: 'is empty at first',
    async run({ store }) {
      assert.deepEqual(await store.find({}, { limit: 10, now: T }), { rows: [], next: undefined })
      assert.equal((await store.countNewer({}, { at: 0, id: idOf('a') }, T)).count, 0)
      assert.equal(await store.row(idOf('a')), undefined)
      assert.deepEqual(await store.timeline(idOf('a'), { limit: 10 }), [])
      assert.deepEqual(await store.entries({ limit: 10 }), [])
      assert.equal(await store.newest(), 0)
      assert.deepEqual(await store.old(T, 10), { sums: [], alone: [] })
    },
  },
  {
    title: 'keeps every entry as it was, and the sum of a row, whatever texts are in them',
    async run({ store }) {
      const all: AuditEntry[] = []
      for (const [name, text] of Object.entries(ODD_TEXTS)) {
        const names = { user: { name: text, email: text }, actor: { name: text } }
        const context = { ...ODD_TEXTS, ticketId: text, reason: text, nested: [1, null, { text }] }
        const who = { userId: text, mayAct: { sub: text, clientId: text }, requestedBy: text }
        const entries = [
          issued(name, T, { ...who, context, names, software: text, review: text }),
          started(name, T + 1, { ...who, actor: { sub: text }, resource: ['a', text], jti: text }),
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
        for (const filter of [{ customer: text }, { operator: text }, { ticket: text }]) {
          const rows = await found(store, filter)
          assert.deepEqual(
            rows.map(({ id }) => id),
            [idOf(name)],
            JSON.stringify(filter),
          )
        }
        all.push(...entries)
      }
      assert.deepEqual(decoded(await readOn(store)), all)
      await assertWholeLog(store)
    },
  },
  {
    title: 'stores a batch in its order, with all rows that it is about, however large it is',
    async run({ store }) {
      const names = many(300, (index) => `row ${index}`)
      const entries = names.flatMap((name, index) => [issued(name, T + index), used(name, T + 500)])
      await put(store, ...entries)
      assert.deepEqual(decoded(await readOn(store, undefined, 100)), entries)
      const rows = await found(store, {}, { limit: 100 })
      assert.deepEqual(
        rows.map(({ id, reads }) => [id, reads]),
        names.map((name) => [idOf(name), 1]).toReversed(),
      )
      const path = `/${'x'.repeat(4000)}`
      const long = many(1000, (index) => used('long', T + index, { path }))
      await put(store, ...long)
      assertHas(await store.row(idOf('long')), { reads: 1000, at: T, lastAt: T + 999 })
    },
  },
  {
    title: 'changes nothing when a batch is written again, however late, and says where it is',
    async run({ store, another }) {
      const other = await another()
      for (const index of FIFTY) {
        const batch = await batchOf(store, used('a', T + index), exported(T + index))
        const written = await Promise.all([store, other, store].map((to) => writeNow(to, batch)))
        const number = 2 * index + 1
        assert.deepEqual(written, Array(3).fill({ is: 'stored', number }))
        assert.deepEqual(await other.write(batch, store.deadlineIn(-1)), { is: 'stored', number })
      }
      assertHas(await store.row(idOf('a')), { reads: 50 })
      await assertWholeLog(store)
    },
  },
  {
    title: 'stores nothing after the deadline, and says so',
    async run({ store }) {
      const batch = await batchOf(store, issued('a', T))
      assert.deepEqual(await store.write(batch, store.deadlineIn(-10)), { is: 'late' })
      assert.equal(await store.newest(), 0)
      assert.equal(await store.row(idOf('a')), undefined)
    },
  },
  {
    title: 'stores nothing where a sum is another one than was looked at',
    async run({ store, another }) {
      const other = await another()
      const looks = [
        await batchOf(store, issued('a', T), issued('b', T)),
        await batchOf(store, issued('b', T), issued('c', T)),
      ] as const
      assertHas(await writeNow(store, looks[0]), { is: 'stored' })
      assert.deepEqual(await writeNow(other, looks[1]), { is: 'changed' })
      assert.equal(await store.row(idOf('c')), undefined)
      const later = await Promise.all([
        batchOf(store, used('a', T + 1)),
        batchOf(other, used('a', T + 2)),
      ])
      const written = await Promise.all(later.map((batch) => writeNow(other, batch)))
      assertSame(
        written.map(({ is }) => is),
        ['changed', 'stored'],
      )
      assertHas(await store.row(idOf('a')), { reads: 1 })
    },
  },
  {
    title: 'keeps what is about no impersonation in no row, and what was refused in one of its own',
    async run({ store }) {
      await put(
        store,
        exported(T),
        issued('a', T + 1),
        refused(T),
        refused(T + 1, { userId: 'bob' }),
      )
      const stored = await readOn(store)
      assert.deepEqual(
        stored.slice(0, 2).map(({ row }) => row),
        [undefined, idOf('a')],
      )
      const rows = await found(store)
      assertSame(
        rows.map(({ id }) => id),
        stored.flatMap(({ row }) => row ?? []),
      )
      assert.deepEqual(rows.at(-1)?.refusal, { at: T, error: 'access_denied', reason: 'protected' })
    },
  },
  {
    title: 'I17: sets aside what does not fit, alone, and stores the others of its batch',
    async run({ store }) {
      const permit = { event: 'support.stopped', by: 'lead', mayAct: { sub: 'olivia' } } as const
      await put(store, { ...permit, timeMs: T, permit: idOf('permit') })
      const outcomes = await put(
        store,
        issued('a', T),
        used('permit', T + 1),
        { ...permit, timeMs: T + 2, permit: idOf('a') },
        started('a', T + 3),
      )
      assert.deepEqual(outcomes, [true, false, false, true])
      const stored = decoded(await readOn(store)).slice(1)
      assert.deepEqual(
        stored.map((entry) => entry?.event),
        ['impersonation.issued', 'audit.set_aside', 'audit.set_aside', 'impersonation.started'],
      )
      assert.equal(await store.row(idOf('permit')), undefined)
      assertHas(await store.row(idOf('a')), { askedAt: T, startedAt: T + 3 })
      const aside = decoded(await readOn(store)).filter((entry) => entry?.setAside)
      assertHas(aside[0], { id: undefined, timeMs: T + 1 })
    },
  },
  {
    title:
      'loses no entry of several processes at once for one row, and makes one of what they begin',
    async run({ store, another }) {
      const stores = await three(store, another)
      await Promise.all(
        stores.map(async (each, from) => {
          const one = writer(each)
          for (const index of FIFTY) {
            const time = T + 1000 * from + index
            const begun = [issued, started, used][from] ?? issued
            await one.write(used('a', time), replayed('a', time), begun(`${index}`, time))
          }
        }),
      )
      assertHas(await store.row(idOf('a')), {
        ...{ at: T, lastAt: T + 2049, reads: 150, replays: 150 },
        alarm: { at: T + 2049, kinds: ['replayed'], count: 150 },
      })
      const rows = await found(store, {}, { limit: 100 })
      assert.equal(rows.length, 51)
      for (const { id, at, askedAt, startedAt, reads } of rows) {
        if (id === idOf('a')) continue
        assert.deepEqual([askedAt, startedAt, reads], [at, at + 1000, 1])
      }
      assert.equal((await readOn(store, undefined, 100)).length, 450)
      await assertWholeLog(store)
    },
  },
  {
    title: 'gives each attempt to tell a customer to one of several processes, and stores the rest',
    async run({ store, another }) {
      const stores = await three(store, another)
      const claimAll = async (attempt: number) => {
        const telling = told('telling', 'a', T + 60_000 * attempt, { attempt })
        const all = await Promise.all(stores.map((each) => put(each, exported(T), telling)))
        return all.filter(([, isStored]) => isStored).length
      }
      assert.equal(await claimAll(1), 0, 'there is nothing to tell')
      await put(store, started('a', T, notify(0)))
      for (const attempt of [1, 2, 3, 4, 5]) assert.equal(await claimAll(attempt), 1)
      assert.equal(await claimAll(7), 0, 'none is left out')
      assert.equal((await readOn(store)).length, 7 * 3 + 1 + 5)
    },
  },
  {
    title: 'stores what was missing once, whichever process writes it first',
    async run({ store, another }) {
      const missing = ['a', 'b', 'c'].flatMap((name) => [
        late(issued(name, T)),
        late(started(name, T + 1)),
        late(ended(name, T + 2)),
      ])
      // A request proves a start; its entry is missing all the same.
      await put(store, used('a', T + 5))
      await Promise.all(
        (await three(store, another)).map(async (each) => {
          const one = writer(each)
          for (const entry of missing) await one.write(entry, used('z', T))
        }),
      )
      const stored = decoded(await readOn(store)).filter((entry) => entry?.afterRestart)
      const said = (entry: AuditEntry | undefined) => `${entry?.id} ${entry?.event}`
      assertSame(stored.map(said), missing.map(said))
      assertHas(await store.row(idOf('a')), { askedAt: T, startedAt: T + 1 })
      assertHas(await store.row(idOf('z')), { reads: 27 })
    },
  },
  {
    title: 'lets a reader that reads on miss no entry of any process',
    async run({ store, another }) {
      const [reader, one, two] = await three(store, another)
      const write = (to: AuditStore, from: number) =>
        Promise.all(FIFTY.map((index) => put(to, used('a', from + index))))
      let isDone = false
      const written = Promise.all([write(one, T), write(two, T + 1000)]).finally(() => {
        isDone = true
      })
      const seen: StoredEntry[] = []
      for (;;) {
        const finished = isDone
        const more = await reader.entries({ after: seen.at(-1)?.number, limit: 20 })
        seen.push(...more)
        if (finished && more.length === 0) break
        await new Promise(setImmediate)
      }
      await written
      const expected = [0, 1000].flatMap((from) => FIFTY.map((index) => T + from + index))
      assert.deepEqual(
        times(seen).toSorted((a = 0, b = 0) => a - b),
        expected,
      )
      assert.deepEqual(await readOn(reader, undefined, 90), seen)
      assert.equal(await reader.newest(), seen.at(-1)?.number)
    },
  },
]
