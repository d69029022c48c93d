import { type JWTPayload, type JWTVerifyGetKey, errors as jose, jwtVerify } from 'jose'
import { SIGNING_ALGORITHMS } from '../option-rules.ts'
import type { ResolvedResourceServerOptions } from '../options.ts'
import { decodeStatusList, type StatusList } from './decode-list.ts'
import type { FetchedToken } from './fetch-list.ts'

/** A status list that the provider signed. */
export interface VerifiedList {
  readonly list: StatusList
  /** The time after which a fresh copy is fetched, in milliseconds. */
  readonly ttl: number
  /** The longest time that the copy is valid after its fetch began, in milliseconds. */
  readonly span: number
  /** The time until which the copy is valid, by the clock of its fetch. */
  readonly expiresAt: number
}

/** The longest time from `iat` for which a copy is valid, in seconds, whatever its `exp`. */
const MAX_SPAN_S = 30
/** The largest tolerance, in seconds. A clock that is further behind gives way to the response. */
const MAX_TOLERANCE_S = 5
/** The `ttl` of a list that has none, and the bounds of others, in seconds (§11.5). */
const LIST_TTL_SECONDS = { default: 5, min: 1, max: MAX_SPAN_S }

/**
 * Verifies status list tokens: draft-ietf-oauth-status-list-21 §5.1 and §8.3.
 *
 * `iat` and `exp` are judged by the clock of this machine. If they do not fit it, they are judged
 * by the `Date` and `Age` of the response that brought the token, because the clock of this
 * machine may be wrong, and a fresh list must not be refused until it is set. A list that fits
 * neither is refused. The response counts only if it is within three minutes of this machine, and
 * has `Age` or a time in the future, because it may be old itself.
 *
 * `clockTolerance` (5 s at most) is for an `iat` in the future. It prolongs no list. A list is
 * valid for 30 s, and for as long as the clock of this machine is behind. If that is 5 s, it is
 * valid for 35 s. If it is more, it counts only when a cache sets no `Age`.
 *
 * @returns a function that throws any error for a token that is not valid
 */
export function listVerifier(
  { issuer, audience, clockTolerance }: ResolvedResourceServerOptions,
  keys: JWTVerifyGetKey,
): (uri: string, fetched: FetchedToken) => Promise<VerifiedList> {
  const tolerance = Math.min(clockTolerance, MAX_TOLERANCE_S)

  async function verifiedAt(
    now: number,
    uri: string,
    { text, age }: FetchedToken,
  ): Promise<JWTPayload> {
    const { payload } = await jwtVerify(text, keys, {
      typ: 'statuslist+jwt',
      subject: uri,
      // options.algorithms is for access tokens. The provider signs its lists as its ID tokens.
      algorithms: [...SIGNING_ALGORITHMS],
      currentDate: new Date(now * 1000),
      clockTolerance: tolerance,
      // Also requires an `iat`, and refuses one in the future.
      maxTokenAge: MAX_SPAN_S,
    })
    if (secondsLeft(payload, now, age) <= 0) {
      throw new jose.JWTExpired('the status list is too old', payload, 'exp', 'check_failed')
    }
    return payload
  }

  return async (uri, fetched) => {
    const { receivedAt, clocks, age } = fetched
    const { payload, now } = await verifyWithFirst(clocks, async (now) => ({
      payload: await verifiedAt(now, uri, fetched),
      now,
    }))
    const { iss, aud, iat = Number.NaN, ttl = LIST_TTL_SECONDS.default } = payload
    if (iss !== undefined && iss !== issuer) throw new Error(`the status list is of ${iss}`)
    // RFC 7519 §4.1.3.
    if (aud !== undefined && ![aud].flat().includes(audience)) {
      throw new Error('the status list is for another audience')
    }
    // §5.1: "The value of the claim MUST be a positive number encoded in JSON as a number."
    if (typeof ttl !== 'number' || !(ttl > 0)) throw new Error('ttl must be a positive number')
    const span = validUntil(payload) - iat
    if (!(span > 0)) throw new Error('exp must be after iat')
    return {
      list: decodeStatusList(payload.status_list),
      ttl: Math.min(Math.max(ttl, LIST_TTL_SECONDS.min), LIST_TTL_SECONDS.max) * 1000,
      span: span * 1000,
      expiresAt: receivedAt + secondsLeft(payload, now, age) * 1000,
    }
  }
}

/** Counts a list as at least as old as caches report, also if the clock makes it younger. */
function secondsLeft(payload: JWTPayload, now: number, age: number): number {
  const { iat = Number.NaN } = payload
  return validUntil(payload) - Math.max(now, iat + age)
}

/** The time until which the list is valid, in seconds since the epoch. */
function validUntil({ iat = Number.NaN, exp = Number.POSITIVE_INFINITY }: JWTPayload): number {
  return Math.min(exp, iat + MAX_SPAN_S)
}

/** Tries one clock after the other, as long as only the time is wrong. */
async function verifyWithFirst<T>(clocks: readonly number[], verify: (now: number) => Promise<T>) {
  const [now = Number.NaN, ...others] = clocks
  try {
    return await verify(now)
  } catch (cause) {
    if (!isAboutTime(cause) || others.length === 0) throw cause
    return await verifyWithFirst(others, verify)
  }
}

function isAboutTime(cause: unknown): boolean {
  return (
    (cause instanceof jose.JWTExpired || cause instanceof jose.JWTClaimValidationFailed) &&
    cause.reason === 'check_failed' &&
    ['exp', 'iat', 'nbf'].includes(cause.claim)
  )
}
