import type { Fetch } from '../options.ts'

/** A status list token as it came, not verified. */
export interface FetchedToken {
  readonly text: string
  /** The time of its arrival, by the clock that was given. */
  readonly receivedAt: number
  /**
   * The time of its arrival in seconds since the epoch, by this machine, and by the provider's
   * response if that is credible.
   */
  readonly clocks: readonly number[]
  /** The least time that it lay in caches, in seconds, if they report it. */
  readonly age: number
}

/** The limit in bytes, after `Content-Encoding` is undone. */
const MAX_BODY_BYTES = 2 ** 20
const MAX_REDIRECTS = 3
/**
 * The largest error of this machine's clock that a response may correct, in seconds. A response
 * with a larger difference may be an old one, and its time would make an old list fresh.
 */
const MAX_SKEW_S = 180
const MEDIA_TYPE = 'application/statuslist+jwt'

/**
 * Makes the request for a status list: draft-ietf-oauth-status-list-21 §8.1 and §8.2. It follows
 * three redirects at most (§11.4), and none that leaves the issuer's origin and path.
 *
 * @returns a function that throws any error if the response is no status list
 */
export function statusFetcher(
  fetch: Fetch,
  under: ReturnType<typeof underIssuer>,
  clock: () => number,
): (uri: string, signal: AbortSignal) => Promise<FetchedToken> {
  async function follow(uri: string, signal: AbortSignal, redirects: number): Promise<Response> {
    const url = under(uri)
    if (!url) throw new Error(`${uri} is not under the issuer`)
    const response = await fetch(url.href, {
      method: 'GET',
      // A cache on the way must not make a list older than the provider allows.
      headers: { accept: MEDIA_TYPE, 'cache-control': 'max-age=1' },
      redirect: 'manual',
      signal,
    })
    const location = response.headers.get('location')
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response
    await response.body?.cancel()
    if (redirects === 0) throw new Error(`${uri} redirects too often`)
    return await follow(URL.parse(location, url.href)?.href ?? location, signal, redirects - 1)
  }

  return async (uri, signal) => {
    const response = await follow(uri, signal, MAX_REDIRECTS)
    const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
    if (!response.ok || type !== MEDIA_TYPE) {
      await response.body?.cancel()
      throw new Error(`${uri} answered ${response.status} with ${type ?? 'no content type'}`)
    }
    const now = Date.now() / 1000
    const age = parseAge(response)
    const providerTime = parseProviderTime(response, now, age)
    const clocks = providerTime === undefined ? [now] : [now, providerTime]
    return { receivedAt: clock(), clocks, age: age ?? 0, text: await readBody(response) }
  }
}

/**
 * The provider's time. RFC 9111 §4.2.3: a cache keeps `Date`, and sets `Age`. Without `Age`, a
 * time in the past may come from a cache that sets none, and would make an old list fresh. A time
 * in the future is as old as this clock is behind at most.
 */
function parseProviderTime(
  { headers }: Response,
  now: number,
  age: number | undefined,
): number | undefined {
  const sentAt = Date.parse(headers.get('date') ?? '') / 1000 + (age ?? 0)
  const isNear = Math.abs(sentAt - now) <= MAX_SKEW_S
  return isNear && (age !== undefined || sentAt >= now) ? sentAt : undefined
}

/** RFC 9111 §5.1, as §1.2.2 has it: "a non-negative integer, representing time in seconds". */
function parseAge({ headers }: Response): number | undefined {
  const age = headers.get('age') ?? ''
  return /^\d+$/.test(age) ? Number(age) : undefined
}

async function readBody({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop by an error cancels the body.
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('the status list token is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/**
 * White space, backslashes, dot segments, and dots and slashes that are written as `%2e`, `%2f` or
 * `%5c`. Two programs may read different paths, or another server, out of these.
 */
const AMBIGUOUS_PATH = /[\s\\]|%(?:2e|2f|5c)|\/\.{1,2}(?:[/?#]|$)/i

/**
 * Makes the test of URLs under the issuer, with the same origin and a path below the issuer's own.
 *
 * @returns a function that returns the parsed URL, and `undefined` for one that lies elsewhere,
 * has a user name or a fragment, or could be read in two ways
 */
export function underIssuer(issuer: string): (url: string) => URL | undefined {
  const base = new URL(issuer)
  const prefix = `${base.pathname.replace(/\/$/, '')}/`
  return (written) => {
    const url = AMBIGUOUS_PATH.test(written) ? null : URL.parse(written)
    if (!url || url.origin !== base.origin || !url.pathname.startsWith(prefix)) return undefined
    // The part before `@` does not belong to the origin.
    if (url.username !== '' || url.password !== '' || written.includes('#')) return undefined
    return url
  }
}
