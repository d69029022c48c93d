import {
  type AuditPerson,
  type AuditRecord,
  isPermit,
  isReviewDue,
  type PermitRecord,
  recordStateAt,
  type StopRecord,
} from 'oidc-provider-impersonation-verify/format'
import type { Pause } from '../../../web/pause-answers.ts'

/**
 * One operator may act as one customer in one application, with at most these scopes, from `grantedAt`
 * until `until`. All times are in milliseconds since the epoch. What is not known is absent.
 */
export interface Permit extends Omit<PermitRecord, 'deliveries' | 'lastAt' | 'state' | 'version'> {
  /** As of now: `'lapsed'` was not decided in time, `'over'` had its window. */
  readonly state: PermitRecord['state'] | 'lapsed' | 'over'
}

/** A stop as it is shown. */
export function pauseOf(record: StopRecord): Pause {
  const { version: _, lastAt: __, deliveries: ___, ...pause } = record
  return pause
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

/** What a customer said for all requests is none of these, nor is a stop. */
export function approvalIn(record: AuditRecord | undefined): PermitRecord | undefined {
  return isPermit(record) ? record : undefined
}

/** A permit as it is at a time. */
export function permitAt(record: PermitRecord, now: number): Permit {
  const { version: _, lastAt: __, deliveries: ___, ...permit } = record
  return { ...permit, state: recordStateAt(record, now) }
}

/** Whether it can be decided, is in its window, or is to be reviewed. */
export function isOpenPermit(permit: Permit): boolean {
  return permit.state === 'requested' || permit.state === 'granted' || isReviewDue(permit)
}
