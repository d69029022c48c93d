import type { AuditRow, StoredPermit } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../store.ts'

/** How many rows or permits are read at once. */
const READ_AT_ONCE = 100

// Stores compare what a database can hold: a lone surrogate is not. So ids are compared here as well.

/** All rows of a customer, newest first. */
export async function* rowsOfCustomer(
  store: Pick<AuditStore, 'find'>,
  customer: string,
  now: number,
): AsyncGenerator<readonly AuditRow[]> {
  for (let before: string | undefined; ; ) {
    const { rows, next } = await store.find({ customer }, { before, limit: READ_AT_ONCE, now })
    yield rows.filter((row) => row.customer?.id === customer)
    if (next === undefined) return
    before = next
  }
}

/** All permits about a customer, newest first. */
export async function* permitsOfCustomer(
  store: Pick<AuditStore, 'permits'>,
  customer: string,
): AsyncGenerator<readonly StoredPermit[]> {
  for (let before: string | undefined; ; ) {
    const { permits, next } = await store.permits({ customer }, { before, limit: READ_AT_ONCE })
    yield permits.filter((permit) => permit.customer === customer)
    if (next === undefined) return
    before = next
  }
}
