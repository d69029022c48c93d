import { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'

export const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', {
  // a limiter that waits for its Redis would hold up everybody
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
})
redis.on('error', () => {})

export const ofClient = new RateLimiterRedis({
  storeClient: redis,
  keyPrefix: 'impersonation:client',
  points: 60,
  duration: 60,
  // while Redis is away, each process counts for itself; without this, it is a 500
  insuranceLimiter: new RateLimiterMemory({ points: 20, duration: 60 }),
})
