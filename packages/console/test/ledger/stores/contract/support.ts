import assert from 'node:assert/strict'
import { hkdfSync } from 'node:crypto'
import type { AuditStore, Batch, RowFilter, StoredEntry } from 'oidc-provider-impersonation-console'
import { digestOf, isTextOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  type AuditRow,
  type Delivery,
  decodeEntry,
  fold,
  type NoticeKind,
  USED_EVENT,
} from 'oidc-provider-impersonation-verify/format'
import { compose, pendingOf, subjectOf } from '../../../../src/ledger/recording/compose.ts'
import { auditLog, type Log } from '../../../../src/ledger/recording/log.ts'
import { marks } from '../../../../src/ledger/sealing/marks.ts'

/** A time that fits: 2026-01-01. */
export const T = 1_767_225_600_000

/** The id of an impersonation that is called so. */
export const idOf = (name: string) => digestOf(name)

/** As many as that, each made of its number. */
export const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index))

export function issued(name: string, time: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    event: 'impersonation.issued',
    timeMs: time,
    id: idOf(name),
    userId: 'alice',
    mayAct: { sub: 'olivia', clientId: 'shop' },
    requestedBy: 'backend',
    context: { ticketId: 'SUP-1', reason: 'Order lost' },
    expiresAt: Math.floor(time / 1000) + 60,
    ...more,
  }
}

export function started(name: string, time: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...issued(name, time),
    event: 'impersonation.started',
    actor: { sub: 'olivia' },
    client: 'shop',
    jti: `impersonation:${idOf(name)}`,
    resource: 'https://api.example.com',
    scope: 'orders',
    expiresAt: Math.floor(time / 1000) + 600,
    ...more,
  }
}

export function ended(name: string, time: number, more: Partial<AuditEntry> = {}): AuditEntry {
  const end = { at: Math.floor(time / 1000), cause: 'requested' as const, by: { sub: 'olivia' } }
  return { ...issued(name, time), event: 'impersonation.ended', end, ...more }
}

export function used(name: string, time: number, use: Partial<AuditEntry['use']> = {}): AuditEntry {
  const request = { useId: `use-${time}`, audience: 'https://api.example.com', path: '/orders' }
  return {
    event: USED_EVENT,
    timeMs: time,
    id: idOf(name),
    userId: 'alice',
    actor: { sub: 'olivia' },
    client: 'shop',
    use: { ...request, method: 'GET', status: 200, ...use },
  }
}

export function replayed(name: string, time: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    event: 'impersonation.replayed',
    timeMs: time,
    id: idOf(name),
    userId: 'alice',
    client: 'shop',
    ...more,
  }
}

/** A refused request without an impersonation: the recorder makes an id. */
export function refused(time: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    event: 'support.refused',
    timeMs: time,
    userId: 'grace',
    actor: { sub: 'olivia' },
    context: { ticketId: 'SUP-9', reason: 'Why not' },
    denial: { stage: 'issue', error: 'access_denied', reason: 'protected' },
    ...more,
  }
}

/** An act of a person on a row. */
export function act(
  event: 'acknowledged' | 'held' | 'objected' | 'released',
  name: string,
  time: number,
  more: Partial<AuditEntry> = {},
): AuditEntry {
  return { event: `support.${event}`, timeMs: time, id: idOf(name), by: 'grace', ...more }
}

/** With the entry of a start: the customer is to be told. */
export const notify = (
  digest: number,
  when: readonly NoticeKind[] = ['started', 'ended'],
): Partial<AuditEntry> => ({
  toTell: when.map((kind) => ({ to: 'customer', kind, after: digest })),
})

/** A step of a process that tells the customer of a row. */
export function told(
  event: 'joined' | 'telling' | 'told' | 'untold',
  name: string,
  time: number,
  more: Partial<Delivery> = {},
): AuditEntry {
  const first = { to: 'customer', kind: 'started', count: 1, attempt: 1, failures: 0 } as const
  const delivery = { ...first, ...more }
  return { event: `support.${event}`, timeMs: time, id: idOf(name), userId: 'alice', delivery }
}

export function exported(time: number): AuditEntry {
  return { event: 'support.exported', timeMs: time, by: 'grace', note: 'all' }
}

/** Those that a process makes of the cookie key of the tests, `test`. */
export const MARKS = marks([
  [Buffer.from(hkdfSync('sha256', 'test', '', 'impersonation audit', 32))],
])
/** No end of the process. */
export const NO_END = new AbortController().signal

/** A process that writes: each call appends one batch. */
export function writer(store: AuditStore): {
  readonly log: Log
  write(...entries: readonly AuditEntry[]): Promise<readonly boolean[]>
} {
  const log = auditLog(store, MARKS, [20])
  return { log, write: (...entries) => log.append(entries.map(pendingOf), NO_END) }
}

/** Stores entries in one batch of a process of their own. */
export function put(store: AuditStore, ...entries: readonly AuditEntry[]) {
  return writer(store).write(...entries)
}

/** A batch of these entries, by what is stored now. */
export async function batchOf(store: AuditStore, ...entries: readonly AuditEntry[]) {
  const pending = entries.map(pendingOf)
  const sums = await store.sums(pending.flatMap((one) => subjectOf(one) ?? []))
  return compose(pending, sums, MARKS.markOf).batch
}

/** Writes a batch that has time enough. */
export const writeNow = (store: AuditStore, batch: Batch) =>
  store.write(batch, store.deadlineIn(10_000))

/** Removes at most so much of each kind, as retention does. @returns how much */
export const removeOld = async (store: AuditStore, before: number, limit: number) =>
  store.remove(await store.old(before, limit))

/** The same store, which does something before each call of a method: it may wait, or throw. */
export const interceptCalls = <Name extends Exclude<keyof AuditStore, 'deadlineIn' | 'keepFor'>>(
  store: AuditStore,
  name: Name,
  work: (...args: Parameters<AuditStore[Name]>) => unknown,
): AuditStore => ({
  ...store,
  async [name](...args: Parameters<AuditStore[Name]>) {
    await work(...args)
    return Reflect.apply(store[name], store, args)
  },
})

/** Removes a row or a permit, as an erasure does. */
export async function removeOne(store: AuditStore, id: string) {
  const sum = (await store.sums([id])).get(id)
  return sum === undefined || sum === 'unreadable'
    ? 0
    : store.remove({ sums: [{ id, version: sum.version }], alone: [] })
}

/** The row of these entries. */
export function rowOf(name: string, ...entries: readonly AuditEntry[]): AuditRow | undefined {
  return entries.reduce<AuditRow | undefined>(
    (row, entry) => fold(row, idOf(name), entry),
    undefined,
  )
}

/** More than any case stores: a store that returns a page again and again is stopped. */
const MAX_ROWS = 200_000

/** All rows that match, read in pages. */
export async function found(
  store: AuditStore,
  filter: RowFilter = {},
  {
    now = T,
    limit = 3,
    oldestFirst,
  }: { now?: number; limit?: number; oldestFirst?: true | undefined } = {},
): Promise<AuditRow[]> {
  const all: AuditRow[] = []
  for (let before: string | undefined, isMore = true; isMore; ) {
    const page = await store.find(filter, { before, limit, now, oldestFirst })
    all.push(...page.rows)
    if (all.length > MAX_ROWS) assert.fail('the pages do not end')
    before = page.next
    if (before !== undefined && page.lookedTo === undefined) {
      assert.equal(page.rows.length, limit, 'a page that is not the last')
    }
    isMore = before !== undefined
  }
  return all
}

/** The names of the rows that match, newest first. */
export async function namesOf(
  store: AuditStore,
  names: readonly string[],
  filter: RowFilter = {},
  now = T,
): Promise<(string | undefined)[]> {
  const rows = await found(store, filter, { now })
  return rows.map(({ id }) => names.find((name) => idOf(name) === id))
}

/** All entries that a read finds, page by page. */
export async function allEntries<E extends StoredEntry>(
  read: (after: number, last: E | undefined) => Promise<readonly E[]>,
  from = 0,
): Promise<E[]> {
  const all: E[] = []
  for (;;) {
    const last = all.at(-1)
    const page = await read(last?.number ?? from, last)
    if (page.length === 0) return all
    all.push(...page)
    if (all.length > MAX_ROWS) assert.fail('the pages do not end')
  }
}

/** All entries after a number, read in pages of an odd size. */
export const readOn = (store: Pick<AuditStore, 'entries'>, from = 0, limit = 7) =>
  allEntries((after) => store.entries({ after, limit }), from)

/** Decodes the texts that are kept. */
export function decoded(stored: readonly StoredEntry[]): (AuditEntry | undefined)[] {
  return stored.map(({ text }) => (text === undefined ? undefined : decodeEntry(text)))
}

export const times = (stored: readonly StoredEntry[]) =>
  decoded(stored).map((entry) => entry?.timeMs)

/** The error that a promise rejects with; `undefined` where it resolves. */
export function rejection(promise: Promise<unknown>) {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** The members of a value, among others. */
export function assertHas(actual: unknown, members: object, message?: string) {
  const found = Object.keys(members).map((name) => [name, Reflect.get(Object(actual), name)])
  assert.deepEqual(Object.fromEntries(found), { ...members }, message)
}

/** The same texts or truth values in any order. */
export function assertSame(actual: readonly unknown[], members: readonly unknown[]) {
  assert.deepEqual(actual.toSorted(), members.toSorted())
}

/** The numbers of all entries have no gap, and each digest is that of its text. */
export async function assertWholeLog(store: AuditStore) {
  const stored = await readOn(store, 0, 500)
  assert.deepEqual(
    stored.map(({ number }) => number),
    stored.map((_, index) => index + 1),
  )
  for (const { text, digest } of stored) {
    if (text !== undefined) assert.ok(isTextOf(text, digest))
  }
}
