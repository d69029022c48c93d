import { normalisedAddress } from 'oidc-provider-impersonation'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** How long a wrong password counts, in seconds. */
const WINDOW_S = 600
/** The limit for one login from one address. */
const MAX_GUESSES = 20
/** The limit for one address with any logins. */
const MAX_GUESSES_OF_ADDRESS = 200
/** No login is longer. A longer text must not fill the memory. */
const LOGIN_LENGTH = 64

/**
 * Slows down attempts to guess passwords. Counts in the memory of this process, so N copies allow N
 * times as many attempts. The attempt counts before the password check, so that parallel attempts do
 * not avoid the limit.
 */
export function passwordThrottle() {
  const ofLogin = new RateLimiterMemory({ points: MAX_GUESSES, duration: WINDOW_S })
  const ofAddress = new RateLimiterMemory({ points: MAX_GUESSES_OF_ADDRESS, duration: WINDOW_S })
  return {
    /** Counts an attempt as wrong, until `succeeded` is called. `retryAfter` is in seconds. */
    async begin(address: string, login: string) {
      const from = normalisedAddress(address)
      const key = `${from}|${login.slice(0, LOGIN_LENGTH)}`
      try {
        await ofAddress.consume(from)
        await ofLogin.consume(key)
      } catch (rejection) {
        if (!(rejection instanceof RateLimiterRes)) throw rejection
        const retryAfter = Math.max(1, Math.ceil(rejection.msBeforeNext / 1000))
        return { allowed: false, retryAfter } as const
      }
      const succeeded = async () => {
        await ofAddress.reward(from)
        await ofLogin.delete(key)
      }
      return { allowed: true, succeeded } as const
    },
  }
}
