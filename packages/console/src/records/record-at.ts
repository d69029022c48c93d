import {
  type AuditPerson,
  type AuditRecord,
  type PermitRecord,
  type RecordStateAt,
  recordStateAt,
  type StopRecord,
} from 'oidc-provider-impersonation-verify/format'

/**
 * One operator may act as one customer in one application, with at most these scopes, from `grantedAt`
 * until `until`. All times are in milliseconds since the epoch. What is not known is absent.
 */
export interface Permit extends Omit<PermitRecord, 'deliveries' | 'lastAt' | 'state' | 'version'> {
  /** As of now: `'lapsed'` was not decided in time, `'over'` had its window. */
  readonly state: PermitRecord['state'] | 'lapsed' | 'over'
}

/** An operator who may not start: as one customer, who objected, or as any, where a lead says it. */
export interface Stop extends Omit<StopRecord, 'deliveries' | 'lastAt' | 'version'> {}

/** Any record as it is at a time. All times are in milliseconds since the epoch. What is not known is absent. */
export interface Shown extends Omit<AuditRecord, 'deliveries' | 'lastAt' | 'state' | 'version'> {
  readonly state: RecordStateAt
}

/** A request that was refused, and still stands in the way of others. */
export interface PermitRefusal {
  readonly permit: Permit
  readonly by: AuditPerson
  readonly at: number
  /** Until then it holds, in milliseconds since the epoch. */
  readonly until: number
  /** Whether the customer refused: then it holds for every ticket. */
  readonly isByCustomer: boolean
}

/** A record as it is shown: as of a time, and without what only its fold needs. */
export function recordAt<R extends AuditRecord>(record: R, now: number) {
  const { version: _, lastAt: __, deliveries: ___, ...shown } = record
  return { ...shown, state: recordStateAt<R['state']>(record, now) }
}
