import { endsWithin } from '#glue/time-limit'
import { reasonOf } from '../../reason.ts'
import { alarmKindOf, fold } from '../fold.ts'
import { log } from '../log-line.ts'
import type { AlarmKind, AuditRow } from '../row.ts'
import type { AuditStore, Batch, NewRecord } from '../store.ts'

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

export interface AlarmOptions {
  readonly onAlarm: (alarm: Alarm) => unknown
  /** The page of the console that shows a row. */
  readonly urlOf: (row: string) => string
  /**
   * How long the function may take, in milliseconds, before the next alarm is handed to it.
   * @defaultValue 10 seconds
   */
  readonly timeoutMs?: number | undefined
}

/** Hands alarms to a function of the deployment. */
export interface Alarms {
  /** Hands over the alarms of what was stored. Repetitions of an entry are not handed again. */
  stored(batch: Batch): void
  /**
   * Resolves when all alarms were handed over, or when that takes longer than a function may take.
   * Never rejects.
   */
  settled(): Promise<void>
}

/**
 * One alarm after the other, each once. Where one of the same kind and impersonation waits already, that
 * one stands for both, and its row counts both: an operator who is refused at many paths must not keep
 * other alarms waiting. What the function throws is told on stderr.
 */
export function alarms(
  store: Pick<AuditStore, 'row'>,
  { onAlarm, urlOf, timeoutMs = 10_000 }: AlarmOptions,
): Alarms {
  let last = Promise.resolve()
  /** Kind and row of those that wait. */
  const waiting = new Set<string>()

  async function hand(kind: AlarmKind, record: NewRecord, row: string): Promise<void> {
    const { time } = record.entry
    const impersonation = await rowWith(record, row)
    try {
      const call = async () => onAlarm({ kind, time, impersonation, url: urlOf(row) })
      if (await endsWithin(timeoutMs, call())) return
      log(`onAlarm takes longer than ${timeoutMs / 1000} s; the next alarm does not wait for it`)
    } catch (error) {
      log(`onAlarm failed, an alarm (${kind}) is only in the console: ${reasonOf(error)}`)
    }
  }

  /** The alarm is handed over also where the row cannot be read again. */
  async function rowWith({ entry }: NewRecord, id: string): Promise<AuditRow> {
    const stored = await store.row(id).catch(() => undefined)
    return stored ?? fold(undefined, id, { entry, count: 1, lastTime: entry.time })
  }

  return {
    stored({ records }) {
      for (const record of records) {
        const kind = alarmKindOf(record.entry)
        const { row } = record
        if (kind === undefined || row === undefined) continue
        const key = `${kind} ${row}`
        if (waiting.has(key)) continue
        waiting.add(key)
        last = last.then(() => {
          waiting.delete(key)
          return hand(kind, record, row)
        })
      }
    },
    async settled() {
      if (!(await endsWithin(timeoutMs, last))) log('the last alarms are only in the console')
    },
  }
}
