import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../../../ledger/store.ts'
import type { Span } from './answers.ts'
import { permitsOfCustomer, rowsOfCustomer } from './of-customer.ts'

/** What there is of a person. */
export interface FoundOfPerson {
  readonly asCustomer: Span
  readonly permits: Span
  readonly uses: number
  readonly notices: number
  readonly held: number
  /** The name of the newest impersonation that has one. */
  readonly name: string | undefined
}

export async function findOfPerson(
  store: Pick<AuditStore, 'find' | 'permits'>,
  id: string,
  now: number,
): Promise<FoundOfPerson> {
  const rows: Pick<AuditRow, 'at' | 'customer' | 'deliveries' | 'hold'>[] = []
  let uses = 0
  for await (const page of rowsOfCustomer(store, id, now)) {
    for (const { at, customer, deliveries, hold, reads, changes } of page) {
      rows.push({ at, customer, deliveries, hold })
      uses += reads + changes
    }
  }
  const permits: number[] = []
  for await (const page of permitsOfCustomer(store, id)) permits.push(...page.map(({ at }) => at))
  return {
    uses,
    held: rows.filter(({ hold }) => hold?.isHeld).length,
    asCustomer: spanOf(rows.map(({ at }) => at)),
    permits: spanOf(permits),
    notices: rows.filter(({ deliveries }) => deliveries?.customer?.last?.is === 'told').length,
    name: rows.find(({ customer }) => customer?.name !== undefined)?.customer?.name,
  }
}

/** @param times the newest first */
function spanOf(times: readonly number[]): Span {
  const [to, from] = [times[0], times.at(-1)]
  return to === undefined || from === undefined ? { count: 0 } : { count: times.length, from, to }
}
