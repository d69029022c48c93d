import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Problem } from '../http/problem.ts'

/** The largest number of recorded refusals of one account in a minute. People need fewer. */
const MAX_RECORDED = 20
const WINDOW = 60

/** @throws Problem 429 above the limit. */
export type CountRefusal = (accountId: string) => Promise<void>

/**
 * A signed-in person can cause any number of refusals, with any text. The limit keeps these
 * refusals from hiding other entries and from filling the store.
 */
export function refusalCounter(): CountRefusal {
  const limiter = new RateLimiterMemory({ points: MAX_RECORDED, duration: WINDOW })

  return async (accountId) => {
    try {
      await limiter.consume(accountId)
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection
      const seconds = Math.max(1, Math.ceil(rejection.msBeforeNext / 1000))
      if (rejection.consumedPoints === MAX_RECORDED + 1) {
        console.error(
          `support.refused: ${accountId} was refused ${MAX_RECORDED} times in a minute; more is not recorded for ${seconds} s`,
        )
      }
      throw new Problem(429, 'temporarily_unavailable', 'too many requests: try again later', {
        retryAfter: String(seconds),
      })
    }
  }
}
