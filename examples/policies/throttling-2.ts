import { Redis } from 'ioredis'
import type { RateLimitOptions } from 'oidc-provider-impersonation'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'

export const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', {
  // a limiter that waits for its Redis would hold up everybody
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
})
redis.on('error', () => {})

export const rateLimits: RateLimitOptions = {
  issue: new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'impersonation:issue',
    points: 30,
    duration: 60,
    // while Redis is away, each process counts for itself; without this, it is a 500
    insuranceLimiter: new RateLimiterMemory({ points: 10, duration: 60 }),
  }),
  failedExchanges: new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'impersonation:failed',
    points: 10,
    duration: 300,
    blockDuration: 900,
    insuranceLimiter: new RateLimiterMemory({ points: 10, duration: 300 }),
  }),
}
