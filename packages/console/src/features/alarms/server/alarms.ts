import { hash } from 'node:crypto'
import {
  type AlarmKind,
  type AuditRow,
  pendingAlarmOf,
} from 'oidc-provider-impersonation-verify/format'
import { nextAlert, type OutboxSource, triedAlert } from '../../../ledger/outbox/source.ts'
import type { Recorder } from '../../../ledger/recording/recorder.ts'
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
  readonly impersonation: Omit<AuditRow, 'alert' | 'notice'>
}

export type OnAlarm = (alarm: Alarm, options: { readonly signal: AbortSignal }) => unknown

/** Of impersonations with an alarm that the deployment has not been told. */
export function alarmAlerts(
  store: Pick<AuditStore, 'find' | 'row'>,
  recorder: Pick<Recorder, 'record' | 'recordMissing'>,
  onAlarm: OnAlarm,
  urlOf: (row: string) => string,
): OutboxSource {
  async function begin(found: AuditRow, timeMs: number) {
    const pending = pendingAlarmOf(found)
    if (!pending) return undefined
    const alert = nextAlert(found.alert?.last, pending)
    const { id } = found
    const begun = { event: 'support.alerting', timeMs, id, alert } as const
    if (!(await recorder.recordMissing(begun))) return undefined
    // It says what happened meanwhile, too.
    const { alert: told, notice: _, ...impersonation } = (await store.row(id)) ?? found
    const { kind, count } = pending
    const alarm: Alarm = {
      id: hash('sha256', JSON.stringify(['alarm', id, kind, count]), 'base64url'),
      ...{ kind, timeMs: told?.due[kind]?.at ?? timeMs, url: urlOf(id), impersonation },
    }
    return {
      tell: async (signal: AbortSignal) => onAlarm(alarm, { signal }),
      finish: (isTold: boolean, time: number) =>
        recorder.record({ timeMs: time, id, ...triedAlert(alert, isTold) }),
    }
  }

  return {
    async findDue(now, limit) {
      const { rows } = await store.find({ alertDueBefore: now }, { limit, now, oldestFirst: true })
      return rows.map((row) => ({ id: row.id, begin: (time) => begin(row, time) }))
    },
  }
}
