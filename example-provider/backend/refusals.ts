import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Problem } from '../http/problem.ts'

/** So many refusals of one account are recorded in a minute: more than people need. */
const MOST = 20
const WINDOW = 60

/** @throws Problem 429 for one too many. */
export type CountRefusal = (accountId: string) => Promise<void>

/**
 * Whoever can sign in can be refused, as often as they like and with texts of their choice. They
 * must not bury what others did under it, nor fill the store.
 */
export function refusalCounter(): CountRefusal {
  const limiter = new RateLimiterMemory({ points: MOST, duration: WINDOW })

  return async (accountId) => {
    try {
      await limiter.consume(accountId)
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection
      const seconds = Math.max(1, Math.ceil(rejection.msBeforeNext / 1000))
      if (rejection.consumedPoints === MOST + 1) {
        console.error(
          `support.refused: ${accountId} was refused ${MOST} times in a minute; more is not recorded for ${seconds} s`,
        )
      }
      throw new Problem(429, 'temporarily_unavailable', 'too many requests: try again later', {
        retryAfter: String(seconds),
      })
    }
  }
}
