import type { Fetch } from '../src/options.ts'

export interface CacheOptions {
  /** How long it keeps a response, in seconds, whatever `Cache-Control` says. */
  readonly keepFor: number
  /** Whether it says in `Age` how long it has kept it: RFC 9111 §5.1. */
  readonly saysAge: boolean
  /** `Date`: that of what it keeps (RFC 9111 §4.2.3), or its own (nginx, unless told otherwise). */
  readonly date: 'kept' | 'own'
}

/**
 * Returns a `fetch` by way of a cache that keeps responses for longer than they allow.
 *
 * @param now its clock, in milliseconds since the epoch
 */
export function cachingFetch({ keepFor, saysAge, date }: CacheOptions, now: () => number): Fetch {
  const kept = new Map<string, { at: number; response: Response }>()
  return async (url, init) => {
    const known = kept.get(url)
    const entry =
      known && now() - known.at < keepFor * 1000
        ? known
        : { at: now(), response: await fetch(url, { headers: init?.headers ?? {} }) }
    kept.set(url, entry)
    const response = entry.response.clone()
    const headers = new Headers(response.headers)
    if (date === 'own') headers.set('date', new Date(now()).toUTCString())
    if (saysAge) headers.set('age', String(Math.floor((now() - entry.at) / 1000)))
    return new Response(response.body, { headers })
  }
}
