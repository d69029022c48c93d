import type { RateLimitOptions } from 'oidc-provider-impersonation'
import { RateLimiterMemory } from 'rate-limiter-flexible'

export const rateLimits: RateLimitOptions = {
  // 30 subject tokens a minute for each machine-to-machine client
  issue: new RateLimiterMemory({ points: 30, duration: 60 }),
  // 10 failed exchanges in 5 minutes, then none for a quarter of an hour
  failedExchanges: new RateLimiterMemory({ points: 10, duration: 300, blockDuration: 900 }),
}
