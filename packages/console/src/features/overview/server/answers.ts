import type { DayCounts } from '../../../ledger/day-counts.ts'

/** `GET /overview`: lead, auditor. What happened in the last 30 days. */
export interface OverviewAnswer {
  /** The oldest first, today last. Each day is there, and a day of UTC. */
  readonly days: readonly DayCounts[]
  /** By the clock of the server. */
  readonly now: number
}
