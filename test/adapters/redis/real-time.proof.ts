import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { REDIS_URL, suiteOn } from '../servers.ts'
import { openNodeRedis } from './clients.ts'
import { redisContract } from './contract.ts'

const suite = await suiteOn('Redis')

suite('createRedisAdapter, while real time passes', () => {
  const keyPrefix = `test:${randomUUID()}:`
  after(async () => {
    const admin = new Redis(REDIS_URL)
    const left = await admin.keys(`${keyPrefix}*`)
    if (left.length > 0) await admin.del(left)
    admin.disconnect()
  })

  // With ioredis, redis.test.ts ages the keys instead.
  describe('with node-redis', () => redisContract(openNodeRedis, keyPrefix))
})
