import { escapeControls } from 'oidc-provider-impersonation-verify/format'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Problem } from './http/problem.ts'

export type OperatorLimit = ReturnType<typeof operatorLimit>

/**
 * @param most how much one account may do in the window
 * @param window in seconds
 * @param what stderr tells, once in a window, of an account that does more: `asked to act`. Without it, nothing
 * @returns a function that throws Problem 429 for more than that
 */
export function operatorLimit(most: number, window: number, what?: string) {
  const limiter = new RateLimiterMemory({ points: most, duration: window })
  return async (operator: string): Promise<void> => {
    try {
      await limiter.consume(operator)
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection
      const seconds = Math.max(1, Math.ceil(rejection.msBeforeNext / 1000))
      if (what && rejection.consumedPoints === most + 1) {
        const excess = `${operator} ${what} ${most} times in ${window} s: no more of it for ${seconds} s`
        console.error(escapeControls(`support console: ${excess}`))
      }
      throw new Problem(429, 'temporarily_unavailable', 'too many requests: try again later', {
        retryAfter: seconds,
      })
    }
  }
}
