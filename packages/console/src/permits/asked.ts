import type { PermitRecord } from 'oidc-provider-impersonation-verify/format'
import type { PermitStore } from '../audit/permit-store.ts'
import { allReadable } from '../audit/readable.ts'
import { permitAt } from './permit.ts'

const DAY_MS = 86_400_000
const PERMITS_PER_READ = 100

export interface Asked {
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
  store: Pick<PermitStore, 'permits'>,
  { customer, now }: Asked,
): Promise<readonly PermitRecord[]> {
  const found: PermitRecord[] = []
  for (let before: string | undefined; ; ) {
    const page = await store.permits({ customer }, { before, limit: PERMITS_PER_READ })
    for (const each of allReadable(page.permits)) {
      const isAsked = each.kind === 'approval' && each.notice?.when.includes('asked')
      if (isAsked && each.requestedAt > now - DAY_MS && isOrWillBeTold(each, now)) found.push(each)
    }
    before = page.next
    if (before === undefined || (page.permits.at(-1)?.at ?? 0) <= now - DAY_MS) return found
  }
}

function isOrWillBeTold(permit: PermitRecord, now: number): boolean {
  return isTold(permit) || permitAt(permit, now).state === 'requested'
}

export const isTold = ({ notice }: PermitRecord): boolean => notice?.last?.is === 'told'
