import { RETRY_AFTER_MS, Upkeep } from '../upkeep.ts'
import { merged, type StatusList } from './decode-list.ts'
import type { VerifiedList } from './list-token.ts'

/** Fetches and verifies a list. */
export type LoadList = (uri: string, signal: AbortSignal) => Promise<LoadedList>

export interface LoadedList extends VerifiedList {
  /** The token itself, to compare copies. */
  readonly text: string
}

/**
 * Thrown if the status list of an impersonated access token cannot be fetched, and no copy of it
 * is young enough. The token may be good. The fault lies with the API and its provider.
 *
 * Koa, Express, Connect and Fastify turn an error with these members into a 503 with
 * `Retry-After`.
 */
export class StatusUnavailable extends Error {
  override name = 'StatusUnavailable'
  readonly status = 503
  /** Read by Fastify and Connect. */
  readonly statusCode = 503
  readonly headers = {
    'Retry-After': String(RETRY_AFTER_MS / 1000),
    'Cache-Control': 'no-store',
  }

  constructor(uri: string, cause: unknown) {
    super(`the status list ${uri} cannot be fetched`, { cause })
  }
}

/** The longest wait of a request for a list. */
const FETCH_TIMEOUT_MS = 2000
/** The number of lists held. A list of this provider takes 128 KiB. */
const MAX_LISTS = 256
/** The time for which an unused list is held, if there is another. */
const MAX_IDLE_MS = 600_000

interface Held {
  readonly upkeep: Upkeep
  /** All copies so far, merged. */
  list?: StatusList
  /** The token of the last copy. */
  text?: string
  ttl: number
  expiresAt: number
  usedAt: number
}

/**
 * Holds the status lists of tokens. There are no timers. A token starts the fetch of its list, and
 * each list has one fetch at a time.
 *
 * - After half of its `ttl`, which counts from the start of the fetch, a list is fetched again in
 *   the background. After its `ttl`, or its `exp` if that is earlier, the request waits for the
 *   fetch, for 2 s at most.
 * - If the fetch fails, the copy stays valid for as long as its token allows (`exp` − `iat`, 30 s
 *   at most), counted from the start of its own fetch. The next fetch starts one second after the
 *   start of the failed one. The same copy, served a second time, is not valid for longer.
 * - A bit that was set in one copy stays set while the list is held. Copies of the provider differ
 *   by the age of their caches, and an older copy must not undo an end. A temporary status
 *   (SUSPENDED) lasts as long.
 * - A list that is not used for ten minutes is dropped. If there are too many, the one that was
 *   unused for the longest time is dropped. That undoes no end: the next token of such a list
 *   waits for a fresh copy, and no token passes without a list. A copy that does not have the end
 *   yet is then believed no longer than the first copy of an API that starts.
 *
 * @param clock - returns a time in milliseconds that never goes back
 * @returns a function that returns a list, and the milliseconds until its next fetch for a caller
 * at that time. It throws {@link StatusUnavailable}.
 */
export function statusCache(
  load: LoadList,
  clock: () => number,
): (uri: string) => Promise<{ readonly list: StatusList; readonly dueIn: number }> {
  /** In the order of use. */
  const lists = new Map<string, Held>()

  function heldFor(uri: string, now: number): Held {
    const held = lists.get(uri) ?? {
      upkeep: new Upkeep(),
      ttl: 0,
      expiresAt: Number.NEGATIVE_INFINITY,
      usedAt: now,
    }
    held.usedAt = now
    lists.delete(uri)
    lists.set(uri, held)
    for (const [oldest, { usedAt }] of lists) {
      if (lists.size <= MAX_LISTS && now - usedAt <= MAX_IDLE_MS) break
      lists.delete(oldest)
    }
    return held
  }

  async function refresh(uri: string, held: Held, start: number): Promise<void> {
    const loaded = await inTime((signal) => load(uri, signal))
    if (loaded.text === held.text) throw new Error('a copy was served a second time')
    held.list = merged(held.list, loaded.list)
    held.text = loaded.text
    held.ttl = loaded.ttl
    // The copy before may have come from a younger cache.
    held.expiresAt = Math.max(held.expiresAt, Math.min(loaded.expiresAt, start + loaded.span))
    held.upkeep.staleAt = Math.min(start + loaded.ttl, held.expiresAt)
    held.upkeep.refreshAt = Math.min(start + loaded.ttl / 2, held.expiresAt)
  }

  return async (uri) => {
    const now = clock()
    const held = heldFor(uri, now)
    const { upkeep } = held
    await upkeep.keep(now, (start) => refresh(uri, held, start))
    const { list, ttl, expiresAt } = held
    const left = expiresAt - clock()
    if (!list || left <= 0) throw new StatusUnavailable(uri, upkeep.failure)
    // A caller a moment before the copy is stale did not wait for the fetch, and has to call
    // again.
    const isFresh = upkeep.staleAt > now
    return { list, dueIn: isFresh ? upkeep.staleAt - clock() : Math.min(ttl, left) }
  }
}

/** A timeout also for work that ignores the signal, such as the wait for the provider's keys. */
async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS)
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return await Promise.race([work(signal), late])
}
