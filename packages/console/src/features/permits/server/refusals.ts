import {
  type AuditPerson,
  type AuditRecord,
  DAY_MS,
  isPermit,
  type PermitRecord,
  saidIn,
} from 'oidc-provider-impersonation-verify/format'
import { PermitError } from '../../../records/errors.ts'
import { recordAt } from '../../../records/record-at.ts'
import type { AskedFor } from '../../../web/parts.ts'

/** A request that was refused, and still stands in the way of others. */
export interface PermitRefusal {
  readonly record: PermitRecord
  readonly by: AuditPerson
  /** The end of the refusal, in milliseconds since the epoch. */
  readonly until: number
  /** `true` if the customer refused: it holds for every ticket then. */
  readonly isByCustomer: boolean
}

/** The refusals among these, for a customer and an application, that still hold. */
export function refusalsIn(
  records: readonly AuditRecord[],
  { userId, mayAct }: Pick<AskedFor['request'], 'mayAct' | 'userId'>,
  now: number,
): readonly PermitRefusal[] {
  return records.filter(isPermit).flatMap((record) => {
    const { by, at = 0, need } = saidIn(record, 'declined') ?? {}
    const until = at + DAY_MS
    const isAbout = record.customer.id === userId && record.application === mayAct.clientId
    return isAbout && by && until > now
      ? [{ record, by, until, isByCustomer: need === 'user' }]
      : []
  })
}

/** @throws PermitError for the first refusal that is in the way */
export function assertNotRefused(
  refusals: readonly PermitRefusal[],
  isInTheWay: (refusal: PermitRefusal) => boolean,
  now: number,
) {
  const found = refusals.find(isInTheWay)
  if (!found) return
  throw new PermitError('refused_lately', 'this was refused: ask again later', {
    permit: recordAt(found.record, now),
    retryAfter: Math.ceil((found.until - now) / 1000),
  })
}
