import {
  type AnswerRecord,
  type AuditRecord,
  isPermit,
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

/** An answer of a customer for all requests: support may act without asking, or asks each time. */
export type StandingChoice = AnswerRecord['state']

/** The answer that holds for a customer now. */
export interface Standing {
  /** `'rule'`: nothing is said, and the rule alone decides. */
  readonly choice: StandingChoice | 'rule'
  /** `true` if the customer said nothing yet: the deployment says it. */
  readonly isInitial?: true | undefined
}

/** A record as it is shown: as of a time, and without what only its fold needs. */
export function recordAt<R extends AuditRecord>(record: R, now: number) {
  const { version: _, lastAt: __, deliveries: ___, ...shown } = record
  return { ...shown, state: recordStateAt<R['state']>(record, now) }
}

/** The same of a permit; `undefined` for any other record. */
export const permitAt = (record: AuditRecord | undefined, now: number): Permit | undefined =>
  isPermit(record) ? recordAt(record, now) : undefined
