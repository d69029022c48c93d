import { Cluster, Redis } from 'ioredis'
import { createCluster } from 'redis'
import { adapterContract } from '../../../packages/testing/src/adapters/index.ts'
import { createRedisAdapter } from '../../../src/adapters/redis/index.ts'
import { ageKeys, type PrivateRedis, startRedis, suiteOn, until } from '../servers.ts'

const suite = await suiteOn('redis-server')

/** What was opened and has to be closed, also where the next step fails. */
const closing: (() => unknown)[] = []
async function start(...args: string[]): Promise<PrivateRedis> {
  const server = await startRedis(...args)
  if (!server) throw new Error('redis-server did not start')
  closing.push(() => server.stop())
  return server
}

suite('createRedisAdapter on Redis Cluster', () => {
  let ioredis: Cluster
  let nodeRedis: ReturnType<typeof createCluster>
  let admins: Redis[]
  const advance = async (seconds: number) => {
    for (const admin of admins) await ageKeys(admin, 'oidc:', seconds)
  }

  before(async () => {
    // three primaries, so that a command over keys of different slots has to fail
    const nodes = await Promise.all([1, 2, 3].map(() => start('--cluster-enabled', 'yes')))
    admins = nodes.map(({ port }) => new Redis(port))
    closing.push(() => admins.map((admin) => admin.disconnect()))
    const ranges = [
      [0, 5460],
      [5461, 10922],
      [10923, 16383],
    ]
    for (const [i, admin] of admins.entries()) {
      const [from = 0, to = 0] = ranges[i] ?? []
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to))
      await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1))
      const [, busPort] = (await admin.config('GET', 'cluster-port')) as string[]
      const address = ['127.0.0.1', String(nodes[i]?.port), String(busPort)]
      await admins[0]?.call('CLUSTER', 'MEET', ...address)
    }
    for (const admin of admins) {
      await until(async () => {
        const info = String(await admin.call('CLUSTER', 'INFO'))
        return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')
      })
    }
    const { port = 0 } = nodes[0] ?? {}
    ioredis = new Cluster([{ host: '127.0.0.1', port }])
    closing.push(() => ioredis.disconnect())
    nodeRedis = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] })
    await nodeRedis.connect()
    closing.push(() => nodeRedis.destroy())
  })

  after(() => Promise.all(closing.toReversed().map((close) => close())))

  describe('with ioredis', () => {
    adapterContract({
      describe,
      it,
      advance,
      create: () => createRedisAdapter({ client: ioredis }),
    })
  })

  describe('with node-redis', () => {
    adapterContract({
      describe,
      it,
      advance,
      create: () =>
        createRedisAdapter({
          client: (args, key) => nodeRedis.sendCommand(key, false, args),
        }),
    })
  })
})
