import { DAY_MS, isPermit, type PermitRecord } from 'oidc-provider-impersonation-verify/format'
import { pages } from '../kernel/pages.ts'
import { PERMITS_PER_READ } from './filters.ts'
import { allReadable } from './readable.ts'
import type { AuditStore } from './store.ts'

export interface AskedFilter {
  /** The account id. */
  readonly customer: string
  /** The clock, in milliseconds since the epoch. */
  readonly now: number
}

/**
 * The requests of the last day of which the customer was told that support asks, or is to be told: what was
 * closed before is not told. The newest first.
 */
export async function findAsked(
  store: Pick<AuditStore, 'permits'>,
  { customer, now }: AskedFilter,
): Promise<readonly PermitRecord[]> {
  const found: PermitRecord[] = []
  const read = (before: string | undefined) =>
    store.permits({ customer }, { before, limit: PERMITS_PER_READ })
  for await (const page of pages(read)) {
    for (const each of allReadable(page.permits)) {
      const isAsked = isPermit(each) && each.deliveries?.customer?.due.asked
      if (isAsked && each.requestedAt > now - DAY_MS && isOrWillBeTold(each, now)) found.push(each)
    }
    if ((page.permits.at(-1)?.at ?? 0) <= now - DAY_MS) break
  }
  return found
}

function isOrWillBeTold(permit: PermitRecord, now: number): boolean {
  return isTold(permit) || (permit.state === 'requested' && now < (permit.lapsesAt ?? Infinity))
}

export const isTold = ({ deliveries }: PermitRecord): boolean =>
  deliveries?.customer?.last?.is === 'told'
