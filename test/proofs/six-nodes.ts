import { Redis } from 'ioredis'
import { type PrivateRedis, startRedis, until } from '../adapters/servers.ts'

interface Node {
  readonly server: PrivateRedis
  readonly admin: Redis
}

interface Shard {
  primary: Node
  replica: Node
}

/** A Redis Cluster of three primaries, each with a replica. */
export interface SixNodes {
  readonly urls: readonly string[]
  /** The slot of a key. */
  slotOf(key: string): Promise<number>
  /**
   * Promotes the replica of a shard, which is stopped for as long as `meanwhile` runs and knows of
   * nothing that is written then. The primary is killed, and comes back as its replica.
   *
   * @param shard 0 to 2
   */
  failOver(shard: number, meanwhile: () => Promise<unknown>): Promise<void>
  stop(): Promise<void>
}

const SLOTS = [
  [0, 5460],
  [5461, 10922],
  [10923, 16383],
] as const

/** `undefined` where redis-server is not installed. */
export async function startSixNodes(): Promise<SixNodes | undefined> {
  const nodes: Node[] = []
  const stop = async () => {
    for (const { admin } of nodes) admin.disconnect()
    await Promise.all(nodes.map(({ server }) => server.stop()))
  }
  try {
    for (let n = 0; n < 6; n += 1) {
      const node = await startNode()
      if (!node) return undefined
      nodes.push(node)
    }
    const shards = await join(nodes)
    return {
      urls: nodes.map(({ server }) => `redis://127.0.0.1:${server.port}`),
      slotOf: async (key) => Number(await nodes[0]?.admin.call('CLUSTER', 'KEYSLOT', key)),
      failOver: async (at, meanwhile) => {
        const shard = shards[at]
        if (shard) await failOver(shard, nodes, meanwhile)
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startNode(): Promise<Node | undefined> {
  const options = {
    'cluster-enabled': 'yes',
    // The test says when there is a failover, also where the machine is slow.
    'cluster-node-timeout': '10000',
    'cluster-replica-no-failover': 'yes',
    'cluster-allow-replica-migration': 'no',
    'cluster-require-full-coverage': 'no',
    'repl-diskless-sync-delay': '0',
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const server = await startRedis(...args)
  if (!server) return undefined
  const admin = new Redis(server.port, { retryStrategy: () => 50, maxRetriesPerRequest: null })
  admin.on('error', () => {})
  return { server, admin }
}

async function join(nodes: readonly Node[]): Promise<Shard[]> {
  const [first] = nodes
  for (const [epoch, { server, admin }] of nodes.entries()) {
    const [from, to] = SLOTS[epoch] ?? []
    if (from !== undefined) await admin.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to))
    await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', String(epoch + 1))
    const [, busPort] = (await admin.config('GET', 'cluster-port')) as string[]
    await first?.admin.call('CLUSTER', 'MEET', '127.0.0.1', String(server.port), String(busPort))
  }
  await allKnow(nodes)
  const shards: Shard[] = []
  for (const [at] of SLOTS.entries()) {
    const [primary, replica] = [nodes[at], nodes[at + 3]]
    if (!primary || !replica) continue
    const id = String(await primary.admin.call('CLUSTER', 'MYID'))
    await until(async () => {
      const reply = await replica.admin.call('CLUSTER', 'REPLICATE', id).catch(() => undefined)
      return reply === 'OK'
    })
    await follows(replica, primary)
    shards.push({ primary, replica })
  }
  return shards
}

async function failOver(
  shard: Shard,
  nodes: readonly Node[],
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const { primary, replica } = shard
  replica.server.process.kill('SIGSTOP')
  try {
    // The system would keep what the primary sends, and hand it over later.
    await primary.admin.call('CLIENT', 'KILL', 'TYPE', 'replica')
    await meanwhile()
    await primary.server.kill()
  } finally {
    replica.server.process.kill('SIGCONT')
  }
  await until(async () => {
    const reply = await replica.admin.call('CLUSTER', 'FAILOVER', 'TAKEOVER').catch(String)
    const role = await replica.admin.call('ROLE').catch(() => [])
    return reply === 'OK' || (Array.isArray(role) && role[0] === 'master')
  })
  await primary.server.restart()
  await follows(primary, replica)
  await allKnow(nodes)
  shard.primary = replica
  shard.replica = primary
}

/** Waits until the one is a replica of the other, and has what it has. */
async function follows(replica: Node, primary: Node): Promise<void> {
  await until(async () => {
    const info = await replica.admin.info('replication').catch(() => '')
    if (!info.includes('role:slave') || !info.includes('master_link_status:up')) return false
    return /slave0:.*state=online/.test(await primary.admin.info('replication').catch(() => ''))
  })
}

async function allKnow(nodes: readonly Node[]): Promise<void> {
  for (const { admin } of nodes) {
    await until(async () => {
      const info = String(await admin.call('CLUSTER', 'INFO').catch(() => ''))
      return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:6')
    })
  }
}
