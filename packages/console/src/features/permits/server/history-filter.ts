import type { Permit } from '../../../records/record-at.ts'

/** How it stands, or what became of it. */
export const HISTORY_STATES = [
  'requested',
  'granted',
  'over',
  'declined',
  'revoked',
  'lapsed',
  'emergency',
] as const

export type HistoryState = (typeof HISTORY_STATES)[number]

/** Requests and emergencies that match all given members. */
export interface HistoryFilter {
  /** Account ids. */
  readonly customer?: string | undefined
  readonly operator?: string | undefined
  /** The account id of a person who asked, or who decided, took back or reviewed. */
  readonly person?: string | undefined
  readonly state?: HistoryState | undefined
  /** However it is written: without regard to case and blanks. */
  readonly ticket?: string | undefined
  /** Words, each of which begins a word of a name, id, ticket, reason or note. */
  readonly text?: string | undefined
  /** When it was asked for: this or later, and before that, in milliseconds since the epoch. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The newest first. */
export interface PermitHistory {
  readonly permits: readonly Permit[]
  /** The `before` of the next page. It is there also where so many were looked at, and none of them matched. */
  readonly next?: string
}
