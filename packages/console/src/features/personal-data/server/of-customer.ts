import { storable } from 'oidc-provider-impersonation-verify/chain'
import type { AuditRow, StoredRecord } from 'oidc-provider-impersonation-verify/format'
import { pagesOfRecords, rowPages } from '../../../ledger/readable.ts'
import type { AuditStore } from '../../../ledger/store.ts'

/** All rows of a customer, newest first. */
export async function* rowsOfCustomer(
  store: Pick<AuditStore, 'find'>,
  customer: string,
  now: number,
): AsyncGenerator<readonly AuditRow[]> {
  for await (const { rows } of rowPages(store, { customer }, now)) {
    yield rows.filter((row) => row.customer?.id === storable(customer))
  }
}

/** All permits about a customer, newest first. */
export async function* permitsOfCustomer(
  store: Pick<AuditStore, 'permits'>,
  customer: string,
): AsyncGenerator<readonly StoredRecord[]> {
  for await (const { permits } of pagesOfRecords(store, { customer })) {
    yield permits.filter((permit) => permit.customer === storable(customer))
  }
}

/** One id, which leads to the customer as long as something is kept: an entry with it names no customer. */
export async function findFirst(
  store: Pick<AuditStore, 'find' | 'permits'>,
  customer: string,
  now: number,
): Promise<{ impersonation?: string; permit?: string } | undefined> {
  for await (const [row] of rowsOfCustomer(store, customer, now)) {
    if (row) return { impersonation: row.id }
  }
  for await (const [permit] of permitsOfCustomer(store, customer)) {
    if (permit) return { permit: permit.id }
  }
  return undefined
}
