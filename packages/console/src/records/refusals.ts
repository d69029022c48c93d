import { type AuditRecord, DAY_MS, saidIn } from 'oidc-provider-impersonation-verify/format'
import { PermitError } from './errors.ts'
import { permitAt } from './record-at.ts'

/** A request that was refused. Until its end, in milliseconds since the epoch, it stands in the way of others. */
export type PermitRefusal = ReturnType<typeof refusalsIn>[number]

/** The refusals among these, for an application, that hold at a time. A customer's hold for every ticket. */
export function refusalsIn(
  records: readonly (AuditRecord | undefined)[],
  application: string | undefined,
  now = 0,
) {
  return records.flatMap((record) => {
    const { by, at = 0, need, note } = (record && saidIn(record, 'declined')) ?? {}
    const until = at + DAY_MS
    if (!record || !by || record.application !== application || until <= now) return []
    return [{ record, by, at, note, until, isByCustomer: need === 'user' }]
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
    permit: permitAt(found.record, now),
    retryAfter: Math.ceil((found.until - now) / 1000),
  })
}
