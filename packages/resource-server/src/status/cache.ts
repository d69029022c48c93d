import { RETRY_AFTER_MS, Upkeep } from '../upkeep.ts'
import { merged, type StatusList } from './decode-list.ts'
import type { VerifiedList } from './list-token.ts'

/** Fetches and verifies a list. */
export type LoadList = (uri: string, signal: AbortSignal) => Promise<LoadedList>

export interface LoadedList extends VerifiedList {
  /** The token itself, by which a copy is known again. */
  readonly text: string
}

/**
 * The status list of an impersonated access token cannot be had, and no copy of it is young enough.
 * The token may be good: this is trouble of the API and its provider, not an invalid token.
 *
 * Koa, Express, Connect and Fastify answer an error with these members by a 503 with `Retry-After`.
 */
export class StatusUnavailable extends Error {
  override name = 'StatusUnavailable'
  readonly status = 503
  /** As Fastify and Connect read it. */
  readonly statusCode = 503
  readonly headers = {
    'Retry-After': String(RETRY_AFTER_MS / 1000),
    'Cache-Control': 'no-store',
  }

  constructor(uri: string, cause: unknown) {
    super(`the status list ${uri} cannot be had`, { cause })
  }
}

/** How long a request waits for a list. */
const FETCH_TIMEOUT_MS = 2000
/** How many lists are held. One of this provider takes 128 KiB. */
const MAX_LISTS = 256
/** How long a list that no token asks for is held, once there is another. */
const MAX_IDLE_MS = 600_000

interface Held {
  readonly upkeep: Upkeep
  /** All copies seen, put together. */
  list?: StatusList
  /** The token of the last copy. */
  text?: string
  ttl: number
  expiresAt: number
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
 * @returns a function that returns a list, and after how many milliseconds it is fetched anew for who
 * asks then. It throws {@link StatusUnavailable}.
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
    // Whoever asks a moment before the copy is stale did not wait for the fetch, and asks again.
    const isFresh = upkeep.staleAt > now
    return { list, dueIn: isFresh ? upkeep.staleAt - clock() : Math.min(ttl, left) }
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
