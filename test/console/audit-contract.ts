import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { type AuditEntry, USED } from '../../console/audit/entry.ts'
import { countRepeats } from '../../console/audit/repeats.ts'
import type { AuditStore, Place } from '../../console/audit/store.ts'
import { Problem } from '../../console/http/problem.ts'

/** A `granted` entry for alice, changed by `more`. */
export function entryOf(time: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return { event: 'impersonation.granted', time, subject: 'alice', ...more }
}

/** A replay of one token. */
export function replayOf(time: number, id = 'token', more: Partial<AuditEntry> = {}): AuditEntry {
  return entryOf(time, { event: 'impersonation.replayed', id, client: 'console', ...more })
}

/** Stores entries in one batch of a writer of their own. */
export function put(store: AuditStore, ...entries: readonly AuditEntry[]): Promise<void> {
  return store.append({ writer: randomUUID(), number: 1, records: countRepeats(entries) })
}

export const times = (places: readonly Place[]) => places.map(({ entry }) => entry?.time)

/** Everything that comes after a cursor, in pages of an odd size. */
export async function readOn(store: AuditStore, from?: string, page = 7): Promise<Place[]> {
  const all: Place[] = []
  for (;;) {
    const entries = await store.after(all.at(-1)?.cursor ?? from, page)
    if (entries.length === 0) return all
    all.push(...entries)
  }
}

const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1)

/** Cursors that no store made, and some that attempt an injection. */
const MALFORMED = [
  '',
  ' 1',
  '1 ',
  '01',
  '-1',
  '+1',
  '1.5',
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
  '0-0',
  '18446744073709551615-18446744073709551615',
  "1' OR '1'='1",
  '1; DROP TABLE support_audit',
  '9'.repeat(20),
  '9'.repeat(5000),
]

/**
 * What every audit store promises.
 *
 * @param fresh an empty one each time
 * @param leavesOut whether it leaves out the requests where they are not needed
 */
export function keepsTheContract(fresh: () => Promise<AuditStore>, leavesOut = true): void {
  let store: AuditStore
  beforeEach(async () => {
    store = await fresh()
  })

  const fill = async () => {
    for (const time of TWENTY) await put(store, entryOf(time))
  }

  it('is empty at first', async () => {
    expect(await store.before(undefined, 10)).to.deep.equal([])
    expect(await store.after(undefined, 10)).to.deep.equal([])
  })

  it('keeps the order, from either end', async () => {
    await fill()
    expect(times(await store.after(undefined, 100))).to.deep.equal(TWENTY)
    expect(times(await store.before(undefined, 100))).to.deep.equal(TWENTY.toReversed())
    expect(times(await store.before(undefined, 3))).to.deep.equal([20, 19, 18])
    expect(times(await store.after(undefined, 3))).to.deep.equal([1, 2, 3])
  })

  it('finds the others among many requests, from either end and from any cursor', async () => {
    const uses = Array.from({ length: 300 }, (_, time) => entryOf(time, { event: USED }))
    await put(store, ...uses, entryOf(1000), ...uses, entryOf(2000), ...uses)
    const limit = leavesOut ? 10 : 1000
    const others = (places: readonly Place[]) => {
      if (leavesOut) expect(places.map(({ entry }) => entry?.event)).not.to.include(USED)
      return places.filter(({ entry }) => entry?.event !== USED)
    }
    const up = others(await store.after(undefined, limit, 'without requests'))
    expect(times(up)).to.deep.equal([1000, 2000])
    const down = others(await store.before(undefined, limit, 'without requests'))
    expect(down).to.deep.equal(up.toReversed())
    const [first, second] = up.map(({ cursor }) => cursor)
    const newer = others(await store.after(first, limit, 'without requests'))
    expect(times(newer)).to.deep.equal([2000])
    const older = others(await store.before(second, limit, 'without requests'))
    expect(times(older)).to.deep.equal([1000])
    expect(await store.after(undefined, 1000)).to.have.length(902)
  })

  it('goes on from a cursor, without what it stands for', async () => {
    await fill()
    const newest = await store.before(undefined, 3)
    expect(times(await store.before(newest.at(-1)?.cursor, 2))).to.deep.equal([17, 16])
    const oldest = await store.after(undefined, 3)
    expect(times(await store.after(oldest.at(-1)?.cursor, 2))).to.deep.equal([4, 5])
    expect(await store.before(oldest[0]?.cursor, 5)).to.deep.equal([])
    expect(await store.after(newest[0]?.cursor, 5)).to.deep.equal([])
    expect(times(await readOn(store))).to.deep.equal(TWENTY)
  })

  it('gives an entry the same cursor from either side, and every entry its own', async () => {
    await fill()
    const up = (await store.after(undefined, 100)).map(({ cursor }) => cursor)
    const down = (await store.before(undefined, 100)).map(({ cursor }) => cursor)
    expect(down.toReversed()).to.deep.equal(up)
    expect(new Set(up).size).to.equal(20)
    for (const cursor of up) expect(encodeURIComponent(cursor)).to.equal(cursor)
  })

  it('keeps entries as they were, whatever is in them and happens to them', async () => {
    const context = {
      'key "\\ \0': 'NUL \0, ESC \u001b[2J, CSI \u009b, lines \r\n\u2028\u2029',
      emoji: '\u{1f980}\u200d', // with a joiner
      half: '\ud800',
      markup: '<img src=x onerror=alert(1)>',
      sql: "'; DROP TABLE support_audit; --",
      nested: { list: [1, null, true, { deep: 'ß' }] },
      long: 'x'.repeat(4000),
    }
    const entry = entryOf(1, { context, actor: { sub: 'o', act: { sub: 'p' } }, resource: ['a'] })
    await put(store, entry)
    context.markup = 'changed afterwards'
    const [stored] = await store.after(undefined, 1)
    const expected = { ...context, markup: '<img src=x onerror=alert(1)>' }
    expect(stored?.entry).to.deep.equal({ ...entry, context: expected })
  })

  it('stores a batch in its order, all in one step', async () => {
    await put(store, ...TWENTY.map((time) => entryOf(time)))
    expect(times(await store.after(undefined, 100))).to.deep.equal(TWENTY)
  })

  it('changes nothing when a batch is written again, however late it is repeated', async () => {
    const writer = randomUUID()
    const batch = (number: number, ...entries: AuditEntry[]) =>
      store.append({ writer, number, records: countRepeats(entries) })
    const [first, second] = [
      [entryOf(1), replayOf(2), replayOf(3)],
      [entryOf(4), replayOf(5)],
    ]
    await batch(1, ...first)
    await batch(1, ...first)
    await batch(2, ...second)
    await batch(1, ...first)
    await batch(2, ...second)
    const stored = await store.after(undefined, 100)
    expect(times(stored)).to.deep.equal([1, 2, 4])
    expect(stored[1]?.entry).to.deep.equal({ ...replayOf(2), count: 3, lastTime: 5 })
  })

  it('counts what happens again into its first entry, which keeps its place and its cursor', async () => {
    await put(store, entryOf(1), replayOf(2))
    const [, first] = await store.after(undefined, 100)
    expect(first?.entry).to.deep.equal(replayOf(2))
    await put(store, entryOf(3), replayOf(9, 'another'))
    await put(store, replayOf(8), replayOf(5), entryOf(6))
    await put(store, replayOf(7))
    const stored = await store.after(undefined, 100)
    expect(times(stored)).to.deep.equal([1, 2, 3, 9, 6])
    const counted = { ...replayOf(2), count: 4, lastTime: 8 }
    expect(stored[1]).to.deep.equal({ cursor: first?.cursor, entry: counted })
    expect(await store.before(stored[2]?.cursor, 1)).to.deep.equal([stored[1]])
    expect(stored[3]?.entry).to.not.have.any.keys('count', 'lastTime')
    expect(times(await store.after(stored.at(-1)?.cursor, 5))).to.deep.equal([])
  })

  it('refuses a cursor that it cannot have made, and stays as it was', async () => {
    await fill()
    for (const cursor of MALFORMED) {
      for (const read of [store.before, store.after]) {
        const problem = await read(cursor, 5).catch((error: unknown) => error)
        expect(problem, JSON.stringify(cursor.slice(0, 50))).to.be.instanceOf(Problem)
        expect(problem).to.include({ status: 400, error: 'invalid_request' })
      }
    }
    expect(times(await store.after(undefined, 100))).to.deep.equal(TWENTY)
  })
}

/**
 * What every store promises that several processes share.
 *
 * @param open another connection to one and the same store, each time
 */
export function isShared(open: () => Promise<{ audit: AuditStore; close(): Promise<void> }>): void {
  it('keeps what it has across a restart, and goes on with its cursors', async () => {
    const before = await open()
    const [last] = await before.audit.before(undefined, 1)
    for (const time of TWENTY) await put(before.audit, entryOf(time))
    const stored = await before.audit.after(last?.cursor, 100)
    await before.close()
    const after = await open()
    expect(await after.audit.after(last?.cursor, 100)).to.deep.equal(stored)
    await put(after.audit, entryOf(21))
    expect(times(await after.audit.after(stored.at(-1)?.cursor, 100))).to.deep.equal([21])
    await after.close()
  })

  it('counts into one entry what several see at once, and loses none of it', async () => {
    const all = await Promise.all([open(), open(), open()])
    const id = randomUUID()
    await Promise.all(
      all.flatMap(({ audit }, from) =>
        Array.from({ length: 50 }, (_, index) =>
          put(audit, replayOf(100 * from + index, id), replayOf(1000 + from, id)),
        ),
      ),
    )
    const places = await readOn(all[0].audit, undefined, 500)
    const mine = places.filter(({ entry }) => entry?.id === id)
    expect(mine).to.have.length(1)
    expect(mine[0]?.entry).to.include({ count: 300, lastTime: 1002 })
    await Promise.all(all.map(({ close }) => close()))
  })

  it('misses nothing while two write at once, and one reads on', async () => {
    const [one, two, reader] = await Promise.all([open(), open(), open()])
    const [last] = await reader.audit.before(undefined, 1)
    const write = (writer: { audit: AuditStore }, from: number) =>
      Promise.all(
        Array.from({ length: 200 }, (_, index) => put(writer.audit, entryOf(from + index))),
      )
    let done = false
    const written = Promise.all([write(one, 1000), write(two, 2000)]).finally(() => {
      done = true
    })
    const seen: Place[] = []
    for (;;) {
      const finished = done
      const more = await reader.audit.after(seen.at(-1)?.cursor ?? last?.cursor, 50)
      seen.push(...more)
      if (finished && more.length === 0) break
    }
    await written
    expect(times(seen).toSorted((a = 0, b = 0) => a - b)).to.deep.equal([
      ...Array.from({ length: 200 }, (_, index) => 1000 + index),
      ...Array.from({ length: 200 }, (_, index) => 2000 + index),
    ])
    expect(await readOn(reader.audit, last?.cursor, 90)).to.deep.equal(seen)
    await Promise.all([one.close(), two.close(), reader.close()])
  })
}
