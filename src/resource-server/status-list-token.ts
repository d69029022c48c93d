import { type JWTPayload, type JWTVerifyGetKey, errors as jose, jwtVerify } from 'jose'
import { SIGNING_ALGORITHMS } from '../shared/signing-algorithms.ts'
import type { ResolvedResourceServerOptions } from './options.ts'
import type { FetchedToken } from './status-fetch.ts'
import { decodeStatusList, type StatusList } from './status-list.ts'

/** A status list that the provider signed. */
export interface VerifiedList {
  readonly list: StatusList
  /** How long after its fetch a fresh copy is wanted, in milliseconds. */
  readonly ttl: number
  /** The longest time that the copy can be believed after its fetch began, in milliseconds. */
  readonly span: number
  /** Until when the copy can be believed, by the clock of its fetch. */
  readonly expiresAt: number
}

/** In seconds: the longest time from `iat` for which a copy is believed, whatever its `exp` says. */
const MAX_SPAN = 30
/** In seconds. A larger `clockTolerance` would let ended tokens pass for longer than is promised. */
const MAX_TOLERANCE = 5
/** In seconds: where the list says none, and the bounds of what it may say (§11.5). */
const TTL = { default: 5, min: 1, max: MAX_SPAN }

/**
 * Verifies status list tokens: draft-ietf-oauth-status-list-21 §5.1 and §8.3.
 *
 * `iat` and `exp` are judged by the clock of this machine, within `clockTolerance` (5 s at most).
 * Where they do not fit it, they are judged by the `Date` and `Age` of the response that brought
 * the token: the clock of this machine may be wrong, and a fresh list must not be refused until it
 * is set. A list that is of no time by both is refused. So a copy that lay in a cache is known as
 * old, and a wrong clock makes none younger. The response is heard only where it is within three
 * minutes of this machine: it may be old itself.
 *
 * @returns a function that throws any error for a token that is not valid
 */
export function listVerifier(
  { issuer, audience, clockTolerance }: ResolvedResourceServerOptions,
  keys: JWTVerifyGetKey,
): (uri: string, fetched: FetchedToken) => Promise<VerifiedList> {
  const tolerance = Math.min(clockTolerance, MAX_TOLERANCE)

  async function verifiedAt(now: number, uri: string, text: string): Promise<JWTPayload> {
    const { payload } = await jwtVerify(text, keys, {
      typ: 'statuslist+jwt',
      subject: uri,
      // options.algorithms is about access tokens. The provider signs its lists as its ID tokens.
      algorithms: SIGNING_ALGORITHMS,
      currentDate: new Date(now * 1000),
      clockTolerance: tolerance,
      // Also checks that there is an `iat`, and that it is not in the future.
      maxTokenAge: MAX_SPAN,
    })
    return payload
  }

  return async (uri, { text, receivedAt, clocks }) => {
    const { payload, now } = await firstOf(clocks, async (now) => ({
      payload: await verifiedAt(now, uri, text),
      now,
    }))
    const { iss, aud, iat = Number.NaN, exp = iat + MAX_SPAN, ttl = TTL.default } = payload
    if (iss !== undefined && iss !== issuer) throw new Error(`the status list is of ${iss}`)
    // RFC 7519 §4.1.3.
    if (aud !== undefined && ![aud].flat().includes(audience)) {
      throw new Error('the status list is for another audience')
    }
    // §5.1: "The value of the claim MUST be a positive number encoded in JSON as a number."
    if (typeof ttl !== 'number' || !(ttl > 0)) throw new Error('ttl must be a positive number')
    const span = Math.min(exp - iat, MAX_SPAN)
    if (!(span > 0)) throw new Error('exp must be after iat')
    return {
      list: decodeStatusList(payload.status_list),
      ttl: Math.min(Math.max(ttl, TTL.min), TTL.max) * 1000,
      span: span * 1000,
      expiresAt: receivedAt + (iat + span + tolerance - now) * 1000,
    }
  }
}

/** Tries one clock after the other, as long as nothing but the time is wrong. */
async function firstOf<T>(clocks: readonly number[], verify: (now: number) => Promise<T>) {
  const [now = Number.NaN, ...others] = clocks
  try {
    return await verify(now)
  } catch (cause) {
    if (!isAboutTime(cause) || others.length === 0) throw cause
    return await firstOf(others, verify)
  }
}

function isAboutTime(cause: unknown): boolean {
  return (
    (cause instanceof jose.JWTExpired || cause instanceof jose.JWTClaimValidationFailed) &&
    cause.reason === 'check_failed' &&
    ['exp', 'iat', 'nbf'].includes(cause.claim)
  )
}
