import {
  type AnyPermit,
  type AuditPerson,
  isPausedAt,
  isReviewDue,
  type PauseRecord,
  type PermitRecord,
} from 'oidc-provider-impersonation-verify/format'
import type { Pause } from '../../../web/pause-answers.ts'

/**
 * One operator may act as one customer in one application, with at most these scopes, from `grantedAt`
 * until `until`. All times are in milliseconds since the epoch. What is not known is absent.
 */
export interface Permit extends Omit<PermitRecord, 'deliveries' | 'lastAt' | 'state' | 'version'> {
  /** As of now: `'lapsed'` was not decided in time, `'expired'` had its window. */
  readonly state: PermitRecord['state'] | 'expired' | 'lapsed'
}

/** A pause as it is at a time. */
export function pauseAt(record: PauseRecord, now: number): Pause {
  const { version: _, lastAt: __, deliveries: ___, ...pause } = record
  const isOver = record.state === 'paused' && !isPausedAt(record, now)
  return { ...pause, state: isOver ? 'expired' : record.state }
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

/** What a customer said for all requests is none of these, nor is a pause. */
export function approvalIn(record: AnyPermit | undefined): PermitRecord | undefined {
  return record?.kind === 'standing' || record?.kind === 'pause' ? undefined : record
}

/** A permit as it is at a time. */
export function permitAt(record: PermitRecord, now: number): Permit {
  const { version: _, lastAt: __, deliveries: ___, ...permit } = record
  return { ...permit, state: stateAt(record, now) }
}

function stateAt({ state, lapsesAt, until }: PermitRecord, now: number): Permit['state'] {
  if (state === 'requested' && lapsesAt !== undefined && now >= lapsesAt) return 'lapsed'
  if (state === 'granted' && (until === undefined || now >= until)) return 'expired'
  return state
}

/** Whether it can be decided, is in its window, or is to be reviewed. */
export function isOpenPermit(permit: Permit): boolean {
  return permit.state === 'requested' || permit.state === 'granted' || isReviewDue(permit)
}
