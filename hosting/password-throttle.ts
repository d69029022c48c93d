import { normalisedAddress } from 'oidc-provider-impersonation'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** How long a wrong password counts, in seconds. */
const WINDOW = 600
/** The limit for one login from one address. */
const GUESSES = 20
/** The limit for one address with any logins. */
const GUESSES_OF_ADDRESS = 200
/** No login is longer. A longer text must not fill the memory. */
const LOGIN_LENGTH = 64

/** An attempt to sign in. It counts as wrong until `succeeded` is called. */
export type Attempt =
  | { readonly allowed: false; readonly retryAfter: number }
  | { readonly allowed: true; succeeded(): Promise<void> }

/** Slows down attempts to guess passwords. */
export interface PasswordThrottle {
  begin(address: string, login: string): Promise<Attempt>
}

/**
 * Counts in the memory of this process, so N copies allow N times as many attempts. The attempt
 * counts before the password check, so that parallel attempts do not avoid the limit.
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
