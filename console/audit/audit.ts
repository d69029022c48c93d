import { type Feed, feed } from './feed.ts'
import { type Recorder, type RecorderOptions, recorder } from './recorder.ts'
import type { AuditStore } from './store.ts'

/** The audit: records events, stores them, and sends them to followers. */
export interface Audit extends Recorder {
  readonly store: AuditStore
  readonly feed: Feed
}

export function createAudit(store: AuditStore, options?: RecorderOptions): Audit {
  const news = feed(store)
  return { store, feed: news, ...recorder(store, news.wake, options) }
}
