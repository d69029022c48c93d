import type { Outcome } from 'oidc-provider-impersonation-verify/format'

export const UTC_DAY_MS = 86_400_000

/** What happened on a day of UTC. */
export interface DayCounts {
  /** When the day begins, in milliseconds since the epoch. */
  readonly day: number
  /** Impersonations that were asked for on this day and began, by how they stand. */
  readonly starts: Readonly<Partial<Record<Outcome, number>>>
  /** How many of these nobody approved. */
  readonly unapproved: number
  /** Requests of this day that a rule or the console refused, and requests for an approval that a person refused. */
  readonly refused: number
  /** What customers objected to on this day. */
  readonly objected: number
}

/** When the day of a moment begins. */
export function dayOf(time: number): number {
  return Math.floor(time / UTC_DAY_MS) * UTC_DAY_MS
}
