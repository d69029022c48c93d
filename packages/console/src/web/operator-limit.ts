import { escapeControls } from 'oidc-provider-impersonation-verify/format'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Problem } from './http/problem.ts'

/** Counts what one account does. */
export type OperatorLimit = (operator: string) => Promise<void>

/**
 * @param most how much one account may do in the window
 * @param window in seconds
 * @param describeExcess what stderr says of an account that does more, once in a window. Without it, nothing
 * @returns a function that throws Problem 429 for more than that
 */
export function operatorLimit(
  most: number,
  window: number,
  describeExcess?: (operator: string, seconds: number) => string,
): OperatorLimit {
  const limiter = new RateLimiterMemory({ points: most, duration: window })
  return async (operator) => {
    try {
      await limiter.consume(operator)
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection
      const seconds = Math.max(1, Math.ceil(rejection.msBeforeNext / 1000))
      if (describeExcess && rejection.consumedPoints === most + 1) {
        console.error(escapeControls(describeExcess(operator, seconds)))
      }
      throw new Problem(429, 'temporarily_unavailable', 'too many requests: try again later', {
        retryAfter: seconds,
      })
    }
  }
}
