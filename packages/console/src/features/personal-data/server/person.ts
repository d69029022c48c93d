import type { AuditRow, StoredRecord } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../../../ledger/store.ts'
import type { Span } from './answers.ts'
import { permitsOfCustomer, rowsOfCustomer } from './of-customer.ts'

/** What there is of a person. */
export async function findOfPerson(
  store: Pick<AuditStore, 'find' | 'permits'>,
  id: string,
  now: number,
) {
  const rows: AuditRow[] = []
  for await (const page of rowsOfCustomer(store, id, now)) rows.push(...page)
  const permits: StoredRecord[] = []
  for await (const page of permitsOfCustomer(store, id)) permits.push(...page)
  return {
    uses: rows.reduce((sum, { reads, changes }) => sum + reads + changes, 0),
    held: rows.filter(({ hold }) => hold?.isHeld).length,
    asCustomer: spanOf(rows),
    permits: spanOf(permits),
    notices: rows.filter(({ deliveries }) => deliveries?.customer?.last?.is === 'told').length,
    /** Of the newest impersonation that has one. */
    name: rows.find(({ customer }) => customer?.name !== undefined)?.customer?.name,
  }
}

/** @param all the newest first */
function spanOf(all: readonly { readonly at: number }[]): Span {
  const [last, first] = [all[0], all.at(-1)]
  return { count: all.length, ...(last && first && { from: first.at, to: last.at }) }
}
