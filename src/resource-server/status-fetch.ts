import type { Fetch } from './fetch.ts'
import type { underIssuer } from './under-issuer.ts'

/** A status list token as it came, not verified. */
export interface FetchedToken {
  readonly text: string
  /** When it came, by the clock that was given. */
  readonly receivedAt: number
  /**
   * What time it was then, in seconds since the epoch: by this machine, and by the provider's
   * response, where that says so and differs by three minutes at most.
   */
  readonly clocks: readonly number[]
}

/** In bytes, after `Content-Encoding` is undone. */
const MAX_BODY = 2 ** 20
const MAX_REDIRECTS = 3
/**
 * In seconds: by how much the clock of this machine may be wrong. A response that says more is an old
 * one, such as of a cache that says no `Age`: with its own time it would make an old list fresh.
 */
const MAX_SKEW = 180
const MEDIA_TYPE = 'application/statuslist+jwt'

/**
 * Makes the request for a status list: draft-ietf-oauth-status-list-21 §8.1 and §8.2. It leaves the
 * issuer's origin and path for no redirect, and follows three at most (§11.4).
 *
 * @returns a function that throws any error for what is no answer of such a list
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
      // A cache on the way must not add more to the age of a list than the provider says.
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
    const told = timeOf(response)
    const isNear = told !== undefined && Math.abs(told - now) <= MAX_SKEW
    const clocks = isNear ? [now, told] : [now]
    return { receivedAt: clock(), clocks, text: await bodyOf(response) }
  }
}

/** The provider's time. RFC 9111 §4.2.3: a cache keeps `Date`, and says in `Age` how old it is. */
function timeOf({ headers }: Response): number | undefined {
  const date = Date.parse(headers.get('date') ?? '') / 1000
  const age = Number(headers.get('age') ?? 0)
  return Number.isFinite(date) && age >= 0 ? date + age : undefined
}

async function bodyOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop by an error cancels the body.
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_BODY) throw new Error('the status list token is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
