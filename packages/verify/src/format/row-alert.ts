import type { RowNotice } from './row-notice.ts'

/** What becomes of a permit, in the order in which it can. */
export const PERMIT_CHANGES = [
  'requested',
  'emergency',
  'granted',
  'declined',
  'revoked',
  'reviewed',
] as const

export type PermitChange = (typeof PERMIT_CHANGES)[number]

/** With an entry about an alert. */
export interface AlertTry {
  /** What it tells: the kind of an alarm, or a change of a permit. */
  readonly kind: string
  /** How often that had happened by then: 1 or more. */
  readonly count: number
  /** 1 for the first of an impersonation or a permit, and one more for each next. */
  readonly attempt: number
  /** How many failed, one after the other, this one included. */
  readonly failures: number
}

/** What the deployment is to be told of an impersonation or a permit, and what was done about it. */
export interface Alert {
  /** By kind, in the order of the alphabet. `at` is the time of the last one, in milliseconds since the epoch. */
  readonly due: Readonly<Record<string, { readonly count: number; readonly at: number }>>
  /** How many of them need not be told any more. */
  readonly told: Readonly<Record<string, number>>
  /** The last attempt. */
  readonly last?: RowNotice['last']
}
