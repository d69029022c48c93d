import { type JWTPayload, type JWTVerifyGetKey, errors as jose, jwtVerify } from 'jose'
import { SIGNING_ALGORITHMS } from '../option-rules.ts'
import type { ResolvedResourceServerOptions } from '../options.ts'
import { decodeStatusList, type StatusList } from './decode-list.ts'
import type { FetchedToken } from './fetch-list.ts'

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
const MAX_SPAN_S = 30
/** In seconds: a clock that is further behind is judged by the response, as long as that says more. */
const MAX_TOLERANCE_S = 5
/** In seconds: where the list says none, and the bounds of what it may say (§11.5). */
const LIST_TTL_SECONDS = { default: 5, min: 1, max: MAX_SPAN_S }

/**
 * Verifies status list tokens: draft-ietf-oauth-status-list-21 §5.1 and §8.3.
 *
 * `iat` and `exp` are judged by the clock of this machine. Where they do not fit it, they are judged
 * by the `Date` and `Age` of the response that brought the token: the clock of this machine may be
 * wrong, and a fresh list must not be refused until it is set. A list that is of no time by both is
 * refused. The response is heard only where it is within three minutes of this machine, and says
 * `Age` or a time that is still to come here: it may be old itself.
 *
 * `clockTolerance` (5 s at most) is for an `iat` that is still to come. It prolongs no list. So one is
 * believed for 30 s, and for what the clock of this machine is behind: 35 s where that is 5 s. Where
 * it is more, only a cache that says no `Age` makes it count.
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
      // options.algorithms is about access tokens. The provider signs its lists as its ID tokens.
      algorithms: [...SIGNING_ALGORITHMS],
      currentDate: new Date(now * 1000),
      clockTolerance: tolerance,
      // Also checks that there is an `iat`, and that it is not in the future.
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

/** A list is at least as old as caches say, also where the clock says less. */
function secondsLeft(payload: JWTPayload, now: number, age: number): number {
  const { iat = Number.NaN } = payload
  return validUntil(payload) - Math.max(now, iat + age)
}

/** Until when the list can be believed, in seconds since the epoch. */
function validUntil({ iat = Number.NaN, exp = Number.POSITIVE_INFINITY }: JWTPayload): number {
  return Math.min(exp, iat + MAX_SPAN_S)
}

/** Tries one clock after the other, as long as nothing but the time is wrong. */
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
