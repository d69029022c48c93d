import type { AlarmKind, AuditRow } from './row.ts'

/** An alarm, as it is handed to the deployment. */
export interface Alarm {
  readonly kind: AlarmKind
  /** In milliseconds since the epoch. */
  readonly time: number
  /** The impersonation, with this alarm counted. */
  readonly impersonation: AuditRow
  /** The page of the console that shows it. */
  readonly url: string
}
