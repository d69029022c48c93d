import { isTextOf, storable } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditRow,
  decodeEntry,
  type StoredRecord,
  USED_EVENT,
} from 'oidc-provider-impersonation-verify/format'
import { readTimelines } from '../../../ledger/keeping/export.ts'
import { pagesOfRecords, readable, rowPages } from '../../../ledger/readable.ts'
import type { AuditStore } from '../../../ledger/store.ts'

/** An impersonation, or a permit about the customer. */
export type Item = { readonly id: string } & (
  | { readonly kind: 'impersonation'; readonly row: AuditRow }
  | { readonly kind: 'permit'; readonly permit: StoredRecord }
)

/** All that there is of a customer: impersonations, newest first, and then permits, newest first. */
export async function* itemsOf(
  store: AuditStore,
  customer: string,
  now: number,
): AsyncGenerator<readonly Item[]> {
  const stored = storable(customer)
  for await (const { rows } of rowPages(store, { customer }, now)) {
    const theirs = rows.filter((row) => row.customer?.id === stored)
    yield theirs.map((row) => ({ kind: 'impersonation', id: row.id, row }))
  }
  for await (const { permits } of pagesOfRecords(store, { customer })) {
    const theirs = permits.filter((permit) => permit.customer === stored)
    yield theirs.map((permit) => ({ kind: 'permit', id: permit.id, permit }))
  }
}

/** The same, and whether their entries say that they are the customer's: see {@link findProved}. */
export async function* checkedItemsOf(
  store: AuditStore,
  customer: string,
  now: number,
): AsyncGenerator<readonly (Item & { readonly isProved: boolean })[]> {
  for await (const items of itemsOf(store, customer, now)) {
    const ids = items.map(({ id }) => id)
    const proved = await findProved(store, ids, customer)
    // Another call, or retention, may have removed it meanwhile.
    const there = proved.size === ids.length ? proved : await store.sums(ids)
    yield items.flatMap((item) =>
      there.has(item.id) ? { ...item, isProved: proved.has(item.id) } : [],
    )
  }
}

/** One of them, which leads to the customer as long as something is kept: an entry with it names no customer. */
export async function findFirst(
  store: AuditStore,
  customer: string,
  now: number,
): Promise<Item | undefined> {
  for await (const [item] of itemsOf(store, customer, now)) if (item) return item
  return undefined
}

/** Milliseconds since the epoch of its last entry. */
export function lastAtOf(item: Item): number {
  if (item.kind === 'impersonation') return item.row.lastAt
  return readable(item.permit)?.lastAt ?? item.permit.at
}

/**
 * Those impersonations and permits whose entries say that they are the customer's. What the storage says of them
 * proves nothing: the entries are sealed.
 */
export async function findProved(
  store: AuditStore,
  ids: readonly string[],
  customer: string,
): Promise<ReadonlySet<string>> {
  const theirs = new Set<string>()
  const others = new Set<string>()
  /** The first customer that an API told. */
  const told = new Map<string, string>()
  for await (const { row = '', text, digest } of readTimelines(store, ids)) {
    // An entry that was erased before says nothing. One that was changed says that it is not theirs.
    if (text === undefined) continue
    if (!isTextOf(text, digest)) others.add(row)
    const entry = decodeEntry(text)
    if (entry?.userId === undefined) continue
    // An API may tell anything. It is asked only where the provider says nothing.
    if (entry.event === USED_EVENT) told.set(row, told.get(row) ?? entry.userId)
    else (entry.userId === customer ? theirs : others).add(row)
  }
  const isTheirs = (id: string) => theirs.has(id) || told.get(id) === customer
  return new Set(ids.filter((id) => !others.has(id) && isTheirs(id)))
}
