import type { RowCount } from '../../../ledger/store.ts'

/** How many rows the audit has of this month, by the calendar of the reader. */
export interface MonthAnswer {
  /** In milliseconds since the epoch. */
  readonly from: number
  readonly to: number
  readonly impersonations: RowCount
  /** Emergencies, however many starts. */
  readonly unapproved: RowCount
  readonly objections: RowCount
}
