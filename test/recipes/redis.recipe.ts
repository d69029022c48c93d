import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { adapterContract } from '../../packages/testing/src/adapters/index.ts'
import { RedisAdapter } from '../../recipes/redis.ts'
import { ageKeys, inCi, REDIS_URL, reachable } from '../adapters/servers.ts'
import { race } from './race.ts'

const available = await reachable(REDIS_URL, 6379)

describe('The recipe for Redis, on Redis', () => {
  if (!available && !inCi) {
    it.skip(`nothing listens at ${REDIS_URL}`)
    return
  }
  const keyPrefix = `recipe:${randomBytes(6).toString('hex')}:`
  const connect = (url = REDIS_URL) =>
    new Redis(url, { keyPrefix, lazyConnect: true, maxRetriesPerRequest: 0 })
  const plain = new Redis(REDIS_URL, { lazyConnect: true })
  const clients = [connect(), connect()]

  after(async () => {
    const keys = await plain.keys(`${keyPrefix}*`)
    if (keys.length > 0) await plain.del(keys)
    for (const client of [...clients, plain]) client.disconnect()
  })

  const factoryOf = (client: Redis) => (model: string) => new RedisAdapter(model, client)

  adapterContract({
    ending: true,
    describe,
    it,
    // The other models stay as the community adapter has them, with indexes that several share.
    models: ['SubjectToken'],
    create: () => factoryOf(connected()),
    advance: (seconds) => ageKeys(plain, keyPrefix, seconds),
    createBroken() {
      const closed = connect()
      closed.disconnect()
      return factoryOf(closed)
    },
  })

  race(() => clients.map(factoryOf))

  function connected() {
    const [first] = clients
    if (!first) throw new Error('no client')
    return first
  }
})
