import type { JWTVerifyGetKey } from 'jose'
import type { Caller } from '../caller.ts'
import { isPlainObject } from '../option-rules.ts'
import type { ResolvedResourceServerOptions } from '../options.ts'
import { invalidToken } from '../refusal.ts'
import { agingClock } from '../upkeep.ts'
import { statusCache } from './cache.ts'
import { statusAt } from './decode-list.ts'
import { statusFetcher, underIssuer } from './fetch-list.ts'
import { listVerifier } from './list-token.ts'

/**
 * Checks that an impersonation has not ended, as the relying party of
 * draft-ietf-oauth-status-list-21 §8.3: "The processing rules for Referenced Tokens (such as JWT
 * or CWT) MUST precede any evaluation of a Referenced Token's status."
 *
 * @returns a function of a caller whose access token and sender are verified already. (In tokens
 * that are not impersonated, `status` is a claim of the deployment's own.) It returns the
 * milliseconds until the next check is useful, and `undefined` if no check is. It throws
 * {@link RequestRefused} for an impersonation that has ended, or whose status cannot be read from
 * its list, and `StatusUnavailable` if the list cannot be fetched.
 */
export function statusCheck(
  options: ResolvedResourceServerOptions,
  keys: JWTVerifyGetKey,
): (caller: Caller) => Promise<number | undefined> {
  const under = underIssuer(options.issuer)
  const clock = agingClock()
  const fetchToken = statusFetcher(options.fetch, under, clock)
  const verify = listVerifier(options, keys)
  const listAt = statusCache(async (uri, signal) => {
    const fetched = await fetchToken(uri, signal)
    return { ...(await verify(uri, fetched)), text: fetched.text }
  }, clock)

  return async ({ isImpersonated, claims: { status } }) => {
    if (!isImpersonated) return undefined
    if (status === undefined) {
      if (options.requireStatus) throw invalidToken('access token has no status')
      return undefined
    }
    const reference = statusReferenceFrom(status)
    if (!reference || !under(reference.uri))
      throw invalidToken('status of the access token is malformed')
    const { list, dueIn } = await listAt(reference.uri)
    const value = statusAt(list, reference.idx)
    // "If the provided index is out of bounds of the Status List, no statement about the status of
    // the Referenced Token can be made and the Referenced Token MUST be rejected."
    if (value === undefined) throw invalidToken('status of the access token is not in its list')
    if (value !== 0) throw invalidToken('impersonation has ended')
    return dueIn
  }
}

/** The place of the status of an access token. draft-ietf-oauth-status-list-21 §6.2. */
interface StatusReference {
  readonly idx: number
  readonly uri: string
}

/**
 * Reads a `status` claim.
 *
 * @returns `undefined` if it is malformed, or names no status list. The guard cannot check another
 * mechanism, so it does not let the token pass.
 */
function statusReferenceFrom(status: unknown): StatusReference | undefined {
  const list: unknown = isPlainObject(status) ? status.status_list : undefined
  const { idx, uri }: Record<string, unknown> = isPlainObject(list) ? list : {}
  // "The idx (index) claim MUST specify a non-negative Integer".
  if (typeof idx !== 'number' || !Number.isSafeInteger(idx) || idx < 0) return undefined
  return typeof uri === 'string' ? { idx, uri } : undefined
}
