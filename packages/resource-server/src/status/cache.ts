import { BoundedMap } from '../bounded-map.ts'
import { merged, type StatusList } from './decode-list.ts'
import type { VerifiedList } from './list-token.ts'
import { RETRY_AFTER, StatusUnavailable } from './unavailable.ts'

/** Fetches and verifies a list. */
export type LoadList = (uri: string, signal: AbortSignal) => Promise<LoadedList>

export interface LoadedList extends VerifiedList {
  /** The token itself, by which a copy is known again. */
  readonly text: string
}

// All times are those of the clock that is given: what sets the wall clock makes no copy younger.

/** How long a request waits for a list. */
const FETCH_TIMEOUT_MS = 2000
/** How many lists are held. One of this provider takes 128 KiB. */
const MAX_LISTS = 64
/** How long a list that no token asks for is held, once there is another. */
const MAX_IDLE_MS = 600_000

interface Held {
  /** All copies seen, put together. */
  list: StatusList | undefined
  text: string | undefined
  refreshAt: number
  staleAt: number
  expiresAt: number
  /** The fetch that is under way. It does not reject. */
  flight: Promise<void> | undefined
  /** When a fetch that failed may be tried again. */
  retryAt: number
  failure: unknown
  usedAt: number
}

/**
 * Holds the status lists that tokens ask for. There are no timers: a list is fetched when a token
 * asks for it, by one fetch at a time.
 *
 * - After half of its `ttl`, which counts from the start of the fetch, it is fetched again in the
 *   background. After its `ttl`, or its `exp` if that is earlier, the request waits for the fetch,
 *   2 s at most.
 * - Where the fetch fails, the copy is used for as long as its token says (`exp` − `iat`, 30 s at
 *   most), counted from the start of its own fetch. The next fetch is tried one second after the
 *   start of the one that failed. A copy that is served a second time gets no new life.
 * - A bit that one copy had stays set while the list is held: copies of the provider differ by the
 *   age of their caches, and an end must not be forgotten by asking another. A status that is
 *   temporary (SUSPENDED) lasts as long.
 * - A list that is not used for ten minutes, and the one that was not used for the longest time
 *   where there are too many, is forgotten. That ends no end: the next token of such a list waits
 *   for a fresh copy, and none passes on what is not held. A copy that does not know of the end
 *   is then believed no longer than the first one of an API that starts.
 *
 * @param clock - tells a time in milliseconds that never goes back
 * @returns a function that answers a list, and throws {@link StatusUnavailable}
 */
export function statusCache(
  load: LoadList,
  clock: () => number,
): (uri: string) => Promise<StatusList> {
  /** In the order of use. */
  const lists = new BoundedMap<string, Held>(MAX_LISTS)

  function heldFor(uri: string, now: number): Held {
    const known = lists.get(uri)
    if (!known) forgetIdle(now)
    const held = known ?? newHeld()
    held.usedAt = now
    lists.set(uri, held)
    return held
  }

  function forgetIdle(now: number): void {
    for (const [uri, { usedAt }] of lists) {
      if (now - usedAt <= MAX_IDLE_MS) return
      lists.delete(uri)
    }
  }

  async function refresh(uri: string, held: Held, start: number): Promise<void> {
    try {
      const loaded = await inTime((signal) => load(uri, signal))
      if (loaded.text === held.text) throw new Error('a copy was served a second time')
      held.list = merged(held.list, loaded.list)
      held.text = loaded.text
      // The copy before may have come from a younger cache.
      held.expiresAt = Math.max(held.expiresAt, Math.min(loaded.expiresAt, start + loaded.span))
      held.staleAt = start + loaded.ttl
      held.refreshAt = start + loaded.ttl / 2
    } catch (cause) {
      held.failure = cause
      held.retryAt = start + RETRY_AFTER * 1000
    } finally {
      held.flight = undefined
    }
  }

  return async (uri) => {
    const now = clock()
    const held = heldFor(uri, now)
    const isDue = now >= Math.min(held.refreshAt, held.expiresAt) && now >= held.retryAt
    if (isDue) held.flight ??= refresh(uri, held, now)
    if (held.flight && now >= Math.min(held.staleAt, held.expiresAt)) await held.flight
    if (!held.list || clock() >= held.expiresAt) {
      throw new StatusUnavailable(uri, held.failure)
    }
    return held.list
  }
}

function newHeld(): Held {
  const never = Number.NEGATIVE_INFINITY
  return {
    list: undefined,
    text: undefined,
    refreshAt: never,
    staleAt: never,
    expiresAt: never,
    flight: undefined,
    retryAt: never,
    failure: undefined,
    usedAt: never,
  }
}

/** Also bounds work that no signal ends, such as the wait for the provider's keys. */
async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS)
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return await Promise.race([work(signal), late])
}
