import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { type PrivateRedis, startRedis, until } from '../adapters/servers.ts'

export type SixNodes = Awaited<ReturnType<typeof startSixNodes>>

const OPTIONS = {
  'cluster-enabled': 'yes',
  // The test decides when there is a failover, also on a slow machine.
  'cluster-node-timeout': '10000',
  'cluster-replica-no-failover': 'yes',
  'cluster-allow-replica-migration': 'no',
  'cluster-require-full-coverage': 'no',
  'repl-diskless-sync-delay': '0',
}

export async function startSixNodes() {
  const args = Object.entries(OPTIONS).flatMap(([name, value]) => [`--${name}`, value])
  const servers: PrivateRedis[] = []
  for (let n = 0; n < 6; n += 1) {
    servers.push(await startRedis(...args))
  }
  const nodes = servers.map((server) => {
    const retrying = { retryStrategy: () => 50, maxRetriesPerRequest: null }
    const admin = new Redis(server.port, retrying).on('error', () => {})
    return { server, admin }
  })
  const addresses = await Promise.all(
    nodes.map(async ({ server, admin }) => {
      const [, bus] = (await admin.config('GET', 'cluster-port')) as string[]
      return `127.0.0.1:${server.port}@${bus}`
    }),
  )
  const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes']
  await promisify(execFile)('redis-cli', create)
  const primaries = await Promise.all(
    nodes.map(async ({ admin }) => {
      await until(async () => String(await admin.call('CLUSTER', 'INFO')).includes('state:ok'))
      return /master_port:(\d+)/.exec(await admin.info('replication'))?.[1]
    }),
  )
  return {
    urls: servers.map(({ port }) => `redis://127.0.0.1:${port}`),
    /** The slot of a key. */
    slotOf: async (key: string) => Number(await nodes[0]?.admin.call('CLUSTER', 'KEYSLOT', key)),
    /**
     * Promotes the replica of a primary. The replica is stopped while `meanwhile` runs, and learns of
     * nothing that is written then.
     *
     * @param at 0 to 2
     */
    async failOver(at: number, meanwhile: () => Promise<unknown>) {
      const primary = nodes[at]
      const replica = nodes[primaries.indexOf(String(primary?.server.port))]
      if (!primary || !replica) throw new Error(`no replica of ${at}`)
      await until(async () => /state=online/.test(await primary.admin.info('replication')))
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
    },
    async stop() {
      for (const { admin } of nodes) admin.disconnect()
      await Promise.all(servers.map((server) => server.kill()))
    },
  }
}
