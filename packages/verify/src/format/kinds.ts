import type { AuditRecord, RecordKind, RecordState, SaidEvent, SaidWord } from './audit-record.ts'
import type { AuditEntry } from './entry.ts'
import type { Need } from './told.ts'

export const DAY_MS = 86_400_000

/** As of a time: `lapsed` was not decided in time, `over` had its window. Neither is written. */
export type RecordStateAt = RecordState | 'lapsed' | 'over'

/** The role in which a person speaks. `deployment`: no person, but code of the deployment. */
export type Speaker = 'approver' | 'customer' | 'deployment' | 'eraser' | 'lead' | 'operator'

/** The conditions of an event, and its result. */
export interface Transition {
  readonly from: readonly RecordStateAt[]
  /**
   * Checks the stored state, not the time: a clock that is ahead must not prevent a revocation.
   */
  readonly isByStored?: true
  readonly who: readonly Speaker[]
  readonly needsNote?: true
  /** `undefined`: it stays as it is. */
  readonly to?: RecordState
  /** `true` if each need has a word of its own, said by the person whom it concerns. */
  readonly isOfNeed?: true
  /** Ends the impersonations that run under the record. */
  readonly ends?: 'under'
}

export interface Kind {
  /** Events that begin a record, with the state of each. */
  readonly begins: Readonly<Partial<Record<AuditEntry['event'], RecordState>>>
  readonly has: readonly (keyof AuditRecord)[]
  /** Events that may follow. */
  readonly says: Readonly<Partial<Record<SaidEvent, Transition>>>
}

const PERMIT_HAS = ['application', 'customer', 'for', 'operator', 'resource', 'scope'] as const

const DECIDED = {
  from: ['requested'],
  who: ['approver', 'customer'],
  isOfNeed: true,
} as const

const REVOKED = {
  isByStored: true,
  who: ['approver', 'customer', 'operator'],
  to: 'revoked',
  ends: 'under',
} as const

/**
 * The roles that may say each event. `decide`, every button, the inbox and the fold ask this one
 * table.
 */
export const KINDS: Readonly<Record<RecordKind, Kind>> = {
  approval: {
    begins: { 'support.requested': 'requested' },
    has: PERMIT_HAS,
    says: {
      // Granted, once every need is met. One refusal is final.
      granted: { ...DECIDED, to: 'granted' },
      declined: { ...DECIDED, to: 'declined' },
      revoked: { ...REVOKED, from: ['requested', 'granted'] },
    },
  },
  emergency: {
    begins: { 'support.emergency': 'granted' },
    has: PERMIT_HAS,
    says: {
      revoked: { ...REVOKED, from: ['granted'] },
      reviewed: {
        from: ['granted', 'revoked', 'over'],
        who: ['approver'],
        needsNote: true,
      },
    },
  },
  answer: {
    begins: { 'support.opened': 'allow', 'support.closed': 'ask' },
    has: ['customer'],
    says: {},
  },
  stop: {
    begins: { 'support.stopped': 'stopped' },
    has: ['by', 'operator'],
    says: {
      lifted: {
        from: ['stopped'],
        who: ['approver', 'lead', 'deployment'],
        needsNote: true,
        to: 'lifted',
      },
    },
  },
  erasure: {
    begins: { 'support.erasing': 'asked' },
    has: ['by', 'lapsesAt'],
    says: { confirmed: { from: ['asked'], who: ['eraser'], to: 'confirmed' } },
  },
}

export function recordStateAt<S extends RecordStateAt>(
  { state, lapsesAt, until }: Pick<AuditRecord, 'lapsesAt' | 'until'> & { readonly state: S },
  now: number,
): S | 'lapsed' | 'over' {
  const isAwaited = state === 'requested' || state === 'asked'
  if (isAwaited && lapsesAt !== undefined && now >= lapsesAt) return 'lapsed'
  if (state === 'granted' && (until === undefined || now >= until)) return 'over'
  return state
}

/** A person, and as what the deployment knows them. */
export interface Speaking {
  /** The account id; `undefined` for code of the deployment. */
  readonly id: string | undefined
  readonly is: readonly ('approver' | 'eraser' | 'lead')[]
}

/**
 * Returns the roles in which a person may speak about a record: only those that it names for them.
 */
export function speakersOf(
  { kind, operator, customer, by }: Pick<AuditRecord, 'by' | 'customer' | 'kind' | 'operator'>,
  { id, is }: Speaking,
): readonly Speaker[] {
  if (id === undefined) return ['deployment']
  if (id === operator?.id) return ['operator']
  if (id === customer?.id) return ['customer']
  // Two people erase.
  return kind === 'erasure' && id === by?.id ? [] : is
}

const NEED_OF: Readonly<Partial<Record<Speaker, Need>>> = {
  approver: 'second_person',
  customer: 'user',
}

/** A record, also as it is at a time. */
export type RecordLike = Pick<
  AuditRecord,
  'by' | 'customer' | 'kind' | 'lapsesAt' | 'needs' | 'operator' | 'said' | 'until'
> & { readonly state: RecordStateAt }

/** An event that a person adds to a record, with the need that it meets, if it has needs. */
export interface Word {
  readonly event: SaidEvent
  readonly need?: Need | undefined
}

/**
 * Checks whether a person may add an event to a record.
 *
 * @param now `undefined`: without regard to the time
 * @returns the transition, or the obstacle: `'who'` for the role, `'state'` for the record
 */
export function may(
  record: RecordLike,
  event: SaidEvent,
  person: Speaking,
  now: number | undefined,
): (Word & { readonly transition: Transition }) | 'state' | 'who' {
  const transition = KINDS[record.kind].says[event]
  // An event that the kind does not have is for approvers.
  const { who = ['approver'] } = transition ?? {}
  const speaker = speakersOf(record, person).find((each) => who.includes(each))
  if (!speaker) return 'who'
  if (!transition) return 'state'
  const need = transition.isOfNeed && NEED_OF[speaker]
  const isSaid = ({ event: before, need: of }: SaidWord) =>
    need === undefined ? before === event : of === need
  const state =
    now === undefined || transition.isByStored ? record.state : recordStateAt(record, now)
  const isNeeded = need === undefined || record.needs.includes(need)
  if (!transition.from.includes(state) || !isNeeded || record.said.some(isSaid)) return 'state'
  return { event, need, transition }
}

/** Returns true if a button of it works. A record that is over has none. */
export function canSay(
  record: RecordLike,
  event: SaidEvent,
  person: Speaking,
  now: number,
): boolean {
  const transition = KINDS[record.kind].says[event]
  const isOpen = transition?.from.includes(recordStateAt(record, now)) === true
  return isOpen && typeof may(record, event, person, now) === 'object'
}

/** An operator may act whom nobody approved, though the rule asks for it: in an emergency. */
export interface Unapproved {
  /** `'after_refusal'`: something was declined to the operator before. */
  readonly unapproved?: 'after_refusal' | 'emergency' | undefined
  /** Returns true if an approver still has to look at it afterwards. */
  readonly isReviewDue?: boolean | undefined
}

export function unapprovedBy(record: Pick<AuditRecord, 'declined' | 'kind' | 'said'>): Unapproved {
  if (record.kind !== 'emergency') return {}
  const unapproved = record.declined ? 'after_refusal' : 'emergency'
  return { unapproved, isReviewDue: isReviewDue(record) }
}

/** Returns true if an approver still has to look at it afterwards. */
export function isReviewDue({ kind, said }: Pick<AuditRecord, 'kind' | 'said'>): boolean {
  return kind === 'emergency' && !said.some(({ event }) => event === 'reviewed')
}
