import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Problem } from '../../http/problem.ts'

const HOUR_S = 3600

/** @returns a function that throws Problem 429 where a customer does more than this in an hour */
export function hourlyLimit(most: number): (accountId: string) => Promise<void> {
  const limiter = new RateLimiterMemory({ points: most, duration: HOUR_S })
  return async (accountId) => {
    try {
      await limiter.consume(accountId)
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection
      const retryAfter = String(Math.ceil(rejection.msBeforeNext / 1000))
      throw new Problem(429, 'too_many_requests', 'you have said this often: try again later', {
        retryAfter,
      })
    }
  }
}
