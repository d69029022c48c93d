import { BoundedMap, endsWithin } from 'oidc-provider-impersonation/siblings'
import {
  type AlarmKind,
  type AlarmRank,
  type AuditEntry,
  type AuditRow,
  alarmKindOf,
  fold,
  isUrgentByItself,
  reasonOf,
  urgencyOfRefusals,
} from 'oidc-provider-impersonation-verify/format'
import type { Batch, NewRecord } from '../batch.ts'
import { log } from '../log-line.ts'
import type { AuditStore } from '../store.ts'

/** An alarm, as it is handed to the deployment. */
export interface Alarm {
  readonly kind: AlarmKind
  /**
   * `'urgent'`: to look at now. A refused act that is not the first one comes again where it makes the
   * refusals of the impersonation urgent, such as the tenth.
   */
  readonly rank: AlarmRank
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
  /** Hands over the alarms of what was stored. Repetitions are handed where they become urgent. */
  stored(batch: Batch): void
  /**
   * Resolves when all alarms were handed over, or when that takes longer than a function may take.
   * Never rejects.
   */
  settled(): Promise<void>
}

/** What was stored of a row. */
interface StoredAlarm {
  readonly kind: AlarmKind
  readonly entry: AuditEntry
  readonly row: string
  readonly isRepetition: boolean
}

/** How many rows are remembered whose urgent alarms were handed over. */
const MAX_ROWS_REMEMBERED = 1000

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
  /** The urgency of refusals that was handed over, by row. */
  const handed = new BoundedMap<string, number>(MAX_ROWS_REMEMBERED)

  async function hand({ kind, entry, row, isRepetition }: StoredAlarm): Promise<void> {
    const { time } = entry
    const impersonation = await rowWith(entry, row)
    const urgency = impersonation.alarm ? urgencyOfRefusals(impersonation.alarm) : 0
    const isMore = kind === 'refused' && urgency > (handed.get(row) ?? 0)
    if (isRepetition && !isMore) return
    if (isMore) handed.set(row, urgency)
    const rank = isMore || isUrgentByItself(entry) ? 'urgent' : 'notable'
    try {
      const call = async () => onAlarm({ kind, rank, time, impersonation, url: urlOf(row) })
      if (await endsWithin(timeoutMs, call())) return
      log(`onAlarm takes longer than ${timeoutMs / 1000} s; the next alarm does not wait for it`)
    } catch (error) {
      log(`onAlarm failed, an alarm (${kind}) is only in the console: ${reasonOf(error)}`)
    }
  }

  /** The alarm is handed over also where the row cannot be read again. */
  async function rowWith(entry: AuditEntry, id: string): Promise<AuditRow> {
    const stored = await store.row(id).catch(() => undefined)
    return stored ?? fold(undefined, id, { entry, count: 1, lastTime: entry.time })
  }

  function enqueue({ entry, row }: Pick<NewRecord, 'entry' | 'row'>, isRepetition: boolean): void {
    const kind = alarmKindOf(entry)
    if (kind === undefined || row === undefined) return
    const key = `${kind} ${row} ${isRepetition}`
    if (waiting.has(key)) return
    waiting.add(key)
    last = last.then(() => {
      waiting.delete(key)
      return hand({ kind, entry, row, isRepetition })
    })
  }

  return {
    stored({ records, repetitions }) {
      for (const record of records) enqueue(record, false)
      for (const repetition of repetitions) enqueue(repetition, true)
    },
    async settled() {
      if (!(await endsWithin(timeoutMs, last))) log('the last alarms are only in the console')
    },
  }
}
