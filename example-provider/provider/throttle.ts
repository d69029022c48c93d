import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { LimitOptions } from '../../src/index.ts'
import { normalisedAddress } from '../../src/rate-limit.ts'

/** How long wrong passwords count, in seconds. */
const WINDOW = 600
/** So many for one login from one address. */
const GUESSES = 20
/** And so many from one address, whatever the login. */
const GUESSES_OF_ADDRESS = 200
/** Longer ones do not exist, and must not fill the memory. */
const LOGIN_LENGTH = 64

/** One attempt to sign in, which counts as wrong until it is known to be right. */
export type Attempt =
  | { readonly allowed: false; readonly retryAfter: number }
  | { readonly allowed: true; succeeded(): Promise<void> }

/** Slows down who tries passwords. */
export interface PasswordThrottle {
  begin(address: string, login: string): Promise<Attempt>
}

/**
 * Counts in the memory of this process: several copies allow as many times more. The attempt is
 * counted before the password is looked at, so that parallel guesses are no way around.
 */
export function passwordThrottle(): PasswordThrottle {
  const ofLogin = new RateLimiterMemory({ points: GUESSES, duration: WINDOW })
  const ofAddress = new RateLimiterMemory({ points: GUESSES_OF_ADDRESS, duration: WINDOW })

  return {
    async begin(address, login) {
      const from = normalisedAddress(address)
      const key = `${from}|${login.slice(0, LOGIN_LENGTH)}`
      try {
        await ofAddress.consume(from)
        await ofLogin.consume(key)
      } catch (rejection) {
        if (!(rejection instanceof RateLimiterRes)) throw rejection
        return { allowed: false, retryAfter: Math.max(1, Math.ceil(rejection.msBeforeNext / 1000)) }
      }
      return {
        allowed: true,
        async succeeded() {
          await ofAddress.reward(from)
          await ofLogin.delete(key)
        },
      }
    },
  }
}

/** `features.impersonation.limits`: far more than people need, far less than machines can do. */
export function exchangeLimits(perMinute: number): LimitOptions {
  const limiter = () => new RateLimiterMemory({ points: perMinute, duration: 60 })
  return { issue: limiter(), failedExchanges: limiter() }
}
