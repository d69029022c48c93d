import { setTimeout as wait } from 'node:timers/promises'
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import type { Fetch } from './options.ts'
import { agingClock, Upkeep } from './upkeep.ts'

/** The timeout of a request to the provider, in milliseconds. */
const FETCH_TIMEOUT_MS = 5000
/** The time for which keys are fresh. Then they are fetched in the background. */
const FRESH_FOR_MS = 300_000
/**
 * The age from which requests wait for a fetch, unless the provider has just failed. With the time
 * of one fetch, the guard trusts a key that the provider removed for ten minutes at most.
 */
const STALE_AFTER_MS = 600_000 - FETCH_TIMEOUT_MS
/** The shortest time between two fetches for unknown keys, from start to start. */
const UNKNOWN_KEY_GAP_MS = 2000

/**
 * Fetches and keeps the provider's published keys. By default, their URL comes from the discovery
 * document. They are fetched on first use. While tokens arrive, they are fetched again every five
 * minutes, and when a token names an unknown key. While the provider is away, they stay valid.
 *
 * A token of an unknown key waits for the fetch under way, or for the next one. No key is
 * remembered as unknown, because the provider may publish it later.
 *
 * @returns a function that throws an error of jose only if the token names no key of the provider.
 * Keys that did not arrive, arrived too late or are malformed are no fault of the token.
 */
export function providerKeys(
  issuer: string,
  jwksUri: string | undefined,
  fetch: Fetch,
): JWTVerifyGetKey {
  let keys: Promise<JWTVerifyGetKey> | undefined
  return async (header, token) => {
    keys ??= remoteKeys(issuer, jwksUri, fetch)
    try {
      return await (await keys)(header, token)
    } catch (cause) {
      // A discovery that failed is tried again by the next request.
      await keys.catch(() => {
        keys = undefined
      })
      if (isAboutToken(cause)) throw cause
      throw new Error(`the keys of ${issuer} cannot be fetched`, { cause })
    }
  }
}

function isAboutToken(cause: unknown): boolean {
  return (
    cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys
  )
}

async function remoteKeys(
  issuer: string,
  jwksUri: string | undefined,
  fetch: Fetch,
): Promise<JWTVerifyGetKey> {
  const uri = jwksUri ?? (await discover(issuer, fetch))
  const remote = createRemoteJWKSet(new URL(uri), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    // jose's default lets every request wait for keys that are ten minutes old.
    cacheMaxAge: Number.POSITIVE_INFINITY,
    // jose's default fetches for each unknown key while the provider fails.
    cooldownDuration: Number.POSITIVE_INFINITY,
    [customFetch]: fetch,
  })
  const clock = agingClock()
  const upkeep = new Upkeep()
  let lastStart = Number.NEGATIVE_INFINITY
  let renewal: Promise<void> | undefined

  async function reload(start: number): Promise<void> {
    if (!remote.reloading) lastStart = start
    await remote.reload()
    upkeep.refreshAt = start + FRESH_FOR_MS
    upkeep.staleAt = start + STALE_AFTER_MS
  }

  async function refresh(start: number): Promise<void> {
    try {
      await reload(start)
    } catch (cause) {
      // While the provider is away, no other request waits for it.
      upkeep.staleAt = Number.POSITIVE_INFINITY
      throw cause
    }
  }

  async function renew(): Promise<void> {
    if (!remote.reloading) await wait(Math.max(lastStart + UNKNOWN_KEY_GAP_MS - clock(), 0))
    await reload(clock())
  }

  return async (header, token) => {
    if (remote.jwks() === undefined) await reload(clock())
    await upkeep.keep(clock(), refresh)
    try {
      return await remote(header, token)
    } catch (cause) {
      if (!(cause instanceof errors.JWKSNoMatchingKey)) throw cause
      renewal ??= renew().finally(() => {
        renewal = undefined
      })
      await renewal
      return remote(header, token)
    }
  }
}

async function discover(issuer: string, fetch: Fetch): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
  const document: unknown = response.ok ? await response.json() : undefined
  if (typeof document !== 'object' || document === null) {
    throw new Error(`${url} answered ${response.status}`)
  }
  const { issuer: named, jwks_uri: uri }: { issuer?: unknown; jwks_uri?: unknown } = document
  // OpenID Connect Discovery §4.3: the issuer "MUST exactly match".
  if (named !== issuer || typeof uri !== 'string') {
    throw new Error(`${url} is not the discovery document of ${issuer}`)
  }
  // RFC 8414 §2: "This URL MUST use the https scheme". A provider that does not know of the proxy
  // in front of it publishes http, and an attacker on the network could replace the keys.
  if (/^https:/i.test(issuer) && !/^https:/i.test(uri)) {
    throw new Error(
      `${url} names a jwks_uri that is not https, see the proxy setting of the provider`,
    )
  }
  return uri
}
