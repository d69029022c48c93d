import { Cluster, Redis } from 'ioredis'
import { createCluster } from 'redis'
import { adapterContract } from '../../../packages/testing/src/adapters/index.ts'
import { createRedisAdapter, type RedisClient } from '../../../src/adapters/redis/index.ts'
import { type SixNodes, startSixNodes } from '../../proofs/six-nodes.ts'
import { ageKeys, suiteOn } from '../servers.ts'

// Nothing where redis-server is not installed.
const cluster = await startSixNodes().catch(() => undefined)
const suite = await suiteOn('redis-server')

// A command over keys of different slots fails there.
suite('createRedisAdapter on Redis Cluster', () => {
  const { urls, stop } = cluster as SixNodes
  const nodeRedis = createCluster({ rootNodes: urls.map((url) => ({ url })) })
  const ioredis = new Cluster([...urls])
  const primaries = urls.slice(0, 3).map((url) => new Redis(url))

  before(() => nodeRedis.connect())
  after(async () => {
    nodeRedis.destroy()
    for (const client of [ioredis, ...primaries]) client.disconnect()
    await stop()
  })

  const clients: Record<string, RedisClient> = {
    ioredis,
    'node-redis': (args, key) => nodeRedis.sendCommand(key, false, args),
  }
  for (const [driver, client] of Object.entries(clients)) {
    describe(`with ${driver}`, () => {
      adapterContract({
        describe,
        it,
        create: () => createRedisAdapter({ client }),
        async advance(seconds) {
          for (const primary of primaries) await ageKeys(primary, 'oidc:', seconds)
        },
      })
    })
  }
})
