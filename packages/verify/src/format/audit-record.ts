import type { AuditPerson } from './row.ts'
import type { AllDeliveries } from './to-tell.ts'
import type { Need } from './told.ts'

export const RECORD_KINDS = ['answer', 'approval', 'emergency', 'erasure', 'stop'] as const

/**
 * Kinds of record: an operator asks before they act, or acts without asking in an emergency; a
 * customer answers for all requests; an operator is kept from starting; a person asks to erase the
 * data of a customer.
 */
export type RecordKind = (typeof RECORD_KINDS)[number]

export const RECORD_STATES = [
  'allow',
  'ask',
  'asked',
  'confirmed',
  'declined',
  'granted',
  'lifted',
  'requested',
  'revoked',
  'stopped',
] as const

/** The state of a record without regard to the time: see `recordStateAt`. */
export type RecordState = (typeof RECORD_STATES)[number]

export const SAID_EVENTS = [
  'granted',
  'declined',
  'revoked',
  'reviewed',
  'lifted',
  'confirmed',
] as const

/** Events that follow the beginning of a record. */
export type SaidEvent = (typeof SAID_EVENTS)[number]

/** One event of a record, with the person who caused it. */
export interface SaidWord {
  readonly event: SaidEvent
  /** Absent where the deployment said it in code. */
  readonly by?: AuditPerson | undefined
  /** In milliseconds since the epoch. */
  readonly at: number
  /** Of a need that is met or declined. */
  readonly need?: Need | undefined
  readonly note?: string | undefined
}

/**
 * The sum of the entries of a record. All times are in milliseconds since the epoch. `KINDS` lists
 * the members that each kind has.
 */
export interface AuditRecord {
  readonly id: string
  readonly kind: RecordKind
  /** Without regard to the time: see `recordStateAt`. */
  readonly state: RecordState
  readonly customer?: AuditPerson | undefined
  readonly operator?: AuditPerson | undefined
  /** The person who began it. */
  readonly by?: AuditPerson | undefined
  /** The text that this person wrote. */
  readonly note?: string | undefined
  /** The client id. */
  readonly application?: string | undefined
  readonly resource?: string | undefined
  readonly scope?: string | undefined
  readonly ticket?: string | undefined
  readonly reason?: string | undefined
  /** Of an emergency: why it cannot wait. */
  readonly why?: string | undefined
  /** Of an emergency: the ids of what was declined to the operator for the customer within a day before. */
  readonly declined?: readonly string[] | undefined
  readonly needs: readonly Need[]
  /** Length of the window, in seconds. */
  readonly for?: number | undefined
  /** Length of an impersonation under it, as the operator asked, in seconds. */
  readonly duration?: number | undefined
  /** Of a stop: the impersonation that the customer objected to. Of an erasure: what it is about. */
  readonly impersonation?: string | undefined
  /** Of an erasure: what it is about, where that is no impersonation. */
  readonly record?: string | undefined
  readonly requestedAt: number
  /** Until then it can be decided. */
  readonly lapsesAt?: number | undefined
  /** When the last need was met: the window begins. */
  readonly grantedAt?: number | undefined
  readonly until?: number | undefined
  /** In the order in which it was stored. */
  readonly said: readonly SaidWord[]
  /** Notices for the customer (`notices`), and changes for the deployment (`onPermit`). */
  readonly deliveries?: AllDeliveries | undefined
  readonly version: number
  /** Of the last entry that is not about a notice. */
  readonly lastAt: number
}

type Having<K extends keyof AuditRecord> = {
  readonly [Member in K]-?: NonNullable<AuditRecord[Member]>
}

/** Allows a start: one operator as one customer in one application, in a window of time. */
export type PermitRecord = AuditRecord & {
  readonly kind: 'approval' | 'emergency'
  readonly state: 'declined' | 'granted' | 'requested' | 'revoked'
} & Having<'application' | 'customer' | 'for' | 'operator' | 'resource' | 'scope'>

/** The answer of a customer for all requests. The newest counts. */
export type AnswerRecord = AuditRecord & {
  readonly kind: 'answer'
  readonly state: 'allow' | 'ask'
} & Having<'customer'>

/** An operator who may not start: as one customer, who objected, or as any, where a lead says it. */
export type StopRecord = AuditRecord & {
  readonly kind: 'stop'
  readonly state: 'lifted' | 'stopped'
} & Having<'by' | 'operator'>

export function isPermit(record: AuditRecord | undefined): record is PermitRecord {
  return record?.kind === 'approval' || record?.kind === 'emergency'
}

export function isAnswer(record: AuditRecord | undefined): record is AnswerRecord {
  return record?.kind === 'answer'
}

export function isStop(record: AuditRecord | undefined): record is StopRecord {
  return record?.kind === 'stop'
}

/** A record as it is kept: the sum of its entries, and by what it is found. Times in milliseconds. */
export interface StoredRecord {
  /** In the form of the id of a row: 43 of the characters A-Z, a-z, 0-9, - and _. */
  readonly id: string
  /** Number of entries in the sum: 1 or more. */
  readonly version: number
  readonly kind: RecordKind
  /** Time of the first entry. */
  readonly at: number
  /** The account id of the customer; `undefined` for any. */
  readonly customer?: string | undefined
  /** The account id of the operator; `undefined` for any. */
  readonly operator?: string | undefined
  /**
   * Of records with the same slot, one is looked at before another is made. It stays as it is in the first
   * version. At most 128 characters of ASCII.
   */
  readonly slot?: string | undefined
  readonly state: RecordState
  /** `true` if an approver still has to look at it afterwards. */
  readonly isReviewDue: boolean
  /**
   * From when on it is worth nothing and waits for nothing; not before its last entry. `undefined`:
   * not before another entry.
   */
  readonly overAt?: number | undefined
  /** When the customer is to be told something about it. */
  readonly customerDueAt?: number | undefined
  /** When the deployment is to be told of a change. */
  readonly deploymentDueAt?: number | undefined
  /** The whole record as JSON in ASCII. */
  readonly data: string
}
