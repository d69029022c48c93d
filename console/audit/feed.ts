import { type AuditStore, isReadable, type StoredEntry } from './store.ts'

/** Milliseconds between two reads of the entries that other processes stored. */
const POLL_EVERY = 1000
/** Number of entries per read. */
const PAGE = 100

/** Sends new entries to followers as they come. */
export interface Feed {
  /** Tells the feed that this process has stored a new entry. */
  wake(): void
  /**
   * Yields the entries after the cursor (or all entries), oldest first, until the signal aborts.
   * Rejects with the error of the store.
   */
  follow(after: string | undefined, signal: AbortSignal): AsyncGenerator<StoredEntry, void>
}

/** One poll per second serves all followers. Without followers, there is no poll. */
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
      // Ignore the error here: each follower reads the store and gets the error itself.
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
        // Remember the count before the read, so that an entry stored during the read is not
        // missed.
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
