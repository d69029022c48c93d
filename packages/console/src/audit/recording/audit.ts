import type { AuditStore } from '../store.ts'
import { openedStore } from '../stores/opened-store.ts'
import { type Alarm, alarms } from './alarms.ts'
import { type Changes, changes } from './changes.ts'
import type { NameOf } from './names.ts'
import { type Recorder, type RecorderOptions, recorder } from './recorder.ts'

/** The audit of this process: records events, stores them, hands over alarms and tells of changes. */
export interface Audit extends Recorder {
  /** It waits until it is open. Its `open()` rejects where it cannot be opened, and tries again. */
  readonly store: AuditStore
  readonly changes: Pick<Changes, 'follow'>
}

export interface AuditOptions extends Omit<RecorderOptions, 'stored'> {
  readonly nameOf?: NameOf | undefined
  readonly onAlarm?: ((alarm: Alarm) => unknown) | undefined
  /** The page of the console that shows a row. */
  readonly urlOf: (row: string) => string
}

/** Opens the store at its first use, and tries again at each call while it cannot be opened. */
export function createAudit(
  closed: AuditStore,
  { onAlarm, urlOf, ...options }: AuditOptions,
): Audit {
  const store = openedStore(closed)
  const alarmsToHand = onAlarm && alarms(store, { onAlarm, urlOf })
  const recording = recorder(store, {
    ...options,
    stored(batch) {
      alarmsToHand?.stored(batch)
      news.stored(batch)
    },
  })
  const news = changes(store, recording.writer)
  return {
    ...recording,
    store,
    changes: news,
    async close() {
      await recording.close()
      await alarmsToHand?.settled()
      await store.close()
    },
  }
}
