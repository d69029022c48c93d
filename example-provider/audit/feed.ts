import { type AuditStore, isReadable, type StoredEntry } from './entry.ts'

/** How often the store is asked for what other processes stored, in milliseconds. */
const POLL_EVERY = 1000
/** So many entries are fetched at once. */
const PAGE = 100

/** Tells of new entries as they come. */
export interface Feed {
  /** There is a new entry, of this process. */
  wake(): void
  /**
   * What comes after the cursor (or everything), oldest first, until the signal says that it is
   * enough. Rejects with what the store rejects with.
   */
  follow(after: string | undefined, signal: AbortSignal): AsyncGenerator<StoredEntry, void>
}

/** However many follow, one poll a second is enough; and while nobody does, none. */
export function feed(store: AuditStore, pollEvery = POLL_EVERY): Feed {
  const waiting = new Set<() => void>()
  let followers = 0
  let changes = 0
  let timer: NodeJS.Timeout | undefined
  let newest: string | undefined
  let isPolling = false

  function wake(): void {
    changes += 1
    for (const resolve of waiting) resolve()
    waiting.clear()
  }

  async function poll(): Promise<void> {
    if (isPolling) return
    isPolling = true
    try {
      const cursor = (await store.before(undefined, 1))[0]?.cursor
      if (cursor !== newest) wake()
      newest = cursor
    } catch {
      // Those who follow find out themselves.
      wake()
    }
    isPolling = false
  }

  function joined(): void {
    followers += 1
    timer ??= setInterval(poll, pollEvery).unref()
  }

  function left(): void {
    followers -= 1
    if (followers > 0) return
    clearInterval(timer)
    timer = undefined
  }

  async function* follow(
    after: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<StoredEntry, void> {
    let cursor = after
    signal.addEventListener('abort', wake, { once: true })
    joined()
    try {
      while (!signal.aborted) {
        // Before the store is asked: what is stored while it answers must not be slept through.
        const seen = changes
        const places = await store.after(cursor, PAGE)
        for (const place of places) {
          if (signal.aborted) return
          if (isReadable(place)) yield place
          cursor = place.cursor
        }
        if (places.length === 0 && seen === changes && !signal.aborted) {
          await new Promise<void>((resolve) => waiting.add(resolve))
        }
      }
    } finally {
      left()
      signal.removeEventListener('abort', wake)
    }
  }

  return { wake, follow }
}
