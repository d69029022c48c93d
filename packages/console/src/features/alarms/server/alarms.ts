import {
  type AlarmKind,
  type AuditRow,
  pendingAlarmOf,
} from 'oidc-provider-impersonation-verify/format'
import { rowSource } from '../../../ledger/outbox/source.ts'
import type { AuditStore } from '../../../ledger/store.ts'

/** An alarm, as it is handed to the deployment. */
export interface Alarm {
  /** The same each time that it is handed over: 43 of the characters A-Z, a-z, 0-9, - and _. */
  readonly id: string
  readonly kind: AlarmKind
  /** When it happened, in milliseconds since the epoch. */
  readonly timeMs: number
  /** The page of the console that shows it. */
  readonly url: string
  /** The impersonation, with this alarm counted. */
  readonly impersonation: Omit<AuditRow, 'deliveries'>
}

export type OnAlarm = (alarm: Alarm, options: { readonly signal: AbortSignal }) => unknown

/** Of impersonations with an alarm that the deployment has not been told. */
export function alarmsToTell(store: AuditStore, onAlarm: OnAlarm, urlOf: (row: string) => string) {
  return rowSource(store, 'deployment', async (row) => {
    const pending = pendingAlarmOf(row)
    if (!pending) return undefined
    const { kind, count } = pending
    const { deliveries, ...impersonation } = row
    const timeMs = deliveries?.deployment?.due[kind]?.at ?? row.lastAt
    const about = { kind, timeMs, url: urlOf(row.id), impersonation }
    return {
      kind,
      count,
      is: 'told',
      tell: (id, signal) => onAlarm({ id, ...about }, { signal }),
    }
  })
}
