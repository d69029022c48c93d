import type { AuditStore } from '../store.ts'
import { type Changes, changes } from './changes.ts'
import { ledgerOf } from './ledger.ts'
import { type Recorder, type RecorderOptions, recorder } from './recorder.ts'

/** The audit of this process: records events, stores them and tells of changes. */
export interface Audit extends Recorder {
  /** It waits until it is open. Its `open()` rejects where it cannot be opened, and tries again. */
  readonly store: AuditStore
  readonly changes: Pick<Changes, 'follow'>
}

/** Opens the store at its first use, and tries again at each call while it cannot be opened. */
export function createAudit(closed: AuditStore, options: Omit<RecorderOptions, 'ledger'>): Audit {
  const { store, writer } = ledgerOf(closed)
  const recording = recorder(store, { ...options, ledger: writer })
  const news = changes(store, writer.writer)
  const unfollow = writer.follow(news.stored)
  return {
    ...recording,
    store,
    changes: news,
    async close() {
      await recording.close()
      unfollow()
      await store.close()
    },
  }
}
