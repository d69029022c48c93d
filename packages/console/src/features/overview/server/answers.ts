import type { RowCount } from '../../../ledger/store.ts'

/** `GET /overview?from=&to=`: lead, auditor. How many rows the audit has of this time. */
export interface OverviewAnswer {
  readonly impersonations: RowCount
  readonly unapproved: RowCount
  readonly objections: RowCount
}
