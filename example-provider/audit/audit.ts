import type { AuditStore } from './entry.ts'
import { type Feed, feed } from './feed.ts'
import { type Recorder, recorder } from './recorder.ts'

/** What happens: written down, kept, and told to whoever follows. */
export interface Audit extends Recorder {
  readonly store: AuditStore
  readonly feed: Feed
}

export function createAudit(store: AuditStore): Audit {
  const news = feed(store)
  return { store, feed: news, ...recorder(store, news.wake) }
}
