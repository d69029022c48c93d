import { MAX_ACCESS_TOKEN_TTL, MAX_SUBJECT_TOKEN_TTL } from '../shared/constants.ts'
import { epochSeconds } from '../shared/time.ts'

/** How far the clocks of the provider's processes may differ, in seconds. */
export const MAX_CLOCK_DIFFERENCE = 5

/** The largest difference of clocks that the guard of a resource server forgives, in seconds. */
export const MAX_CLOCK_TOLERANCE = 300

/** How long the record of an impersonation outlives its access token at least, in seconds. */
const RETENTION_MARGIN_SECONDS = MAX_CLOCK_TOLERANCE + 30

/**
 * How long after the last moment of redemption an access token can be valid anywhere, in seconds,
 * where it lives for `maxTtl` at most. For so long its record is kept.
 */
export function keptAfterRedemptionFor(maxTtl: number): number {
  return maxTtl + RETENTION_MARGIN_SECONDS
}

/**
 * The longest that a record is kept by any process, whatever its options, in seconds: for what one
 * process has to know of the others.
 */
export const MAX_RETENTION_SECONDS =
  MAX_SUBJECT_TOKEN_TTL + keptAfterRedemptionFor(MAX_ACCESS_TOKEN_TTL)

/**
 * I14: the longest that an access token may live that comes of a record now, in seconds, so that the
 * record, by which it can be ended, outlives it. The process that issued the subject token has
 * settled that, whatever the options of the one that exchanges it.
 *
 * @param keptUntil until when the record is kept, as it says: in seconds since the epoch
 */
export function lifeUnderRecord(keptUntil: number): number {
  // A store may have made something else of it.
  if (!Number.isSafeInteger(keptUntil)) return 0
  return keptUntil - RETENTION_MARGIN_SECONDS - epochSeconds()
}
