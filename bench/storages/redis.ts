import { createClient } from 'redis'
import { createRedisAdapter } from '../../src/adapters/redis/index.ts'
import { fillThrough } from '../fill.ts'
import type { Storage, StorageOptions } from './storage.ts'

const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'

export async function openRedis({ database, name }: Required<StorageOptions>): Promise<Storage> {
  const client = createClient({
    url: REDIS_URL,
    ...(database ? { database } : {}),
    // Without node-redis' own limit, of 5 s: it keeps an AbortSignal of each command that long, and
    // the adapter has a limit already.
    commandOptions: { timeout: 0 },
  })
  await client.connect()
  const keyPrefix = `impersonation-bench-${name}:`
  const auditPrefix = `impersonation-bench-audit-${name}:`
  const eachBatch = async (match: string, run: (keys: string[]) => unknown) => {
    const pattern = { MATCH: match, COUNT: 1000 }
    for await (const keys of client.scanIterator(pattern)) if (keys.length > 0) await run(keys)
  }
  let statements = 0
  const counted = {
    sendCommand(...command: Parameters<typeof client.sendCommand>) {
      statements += 1
      return client.sendCommand(...command)
    },
  }
  const adapter = createRedisAdapter({ client: counted, keyPrefix })
  return {
    adapter,
    fill: (count, issuer) => fillThrough(adapter('SubjectToken'), count, issuer),
    use: async () => ({ own: 0, common: processorTime(await client.info('cpu')), statements }),
    async left() {
      const found = new Set<string>()
      let expired = 0
      await eachBatch(`${keyPrefix}*`, async (keys) => {
        const fresh = keys.filter((key) => !found.has(key))
        for (const key of fresh) found.add(key)
        // -1 is a key that never expires; Redis itself removes the others.
        const lives = await Promise.all(fresh.map((key) => client.pTTL(key)))
        expired += lives.filter((life) => life === -1).length
      })
      // The look-up of all records keeps the members of those that have gone for a while.
      const listed = await client.zCard(`${keyPrefix}SubjectToken:all`)
      return { removed: 0, expired, live: Math.max(found.size - expired, listed) }
    },
    async audit() {
      return {
        async append(entries) {
          for (const [event, of] of Map.groupBy(entries, (entry) => entry.name)) {
            await client.rPush(
              auditPrefix + event,
              of.map((entry) => entry.event),
            )
          }
        },
        async count() {
          const counts: Record<string, number> = {}
          await eachBatch(`${auditPrefix}*`, async (keys) => {
            for (const key of keys) counts[key.slice(auditPrefix.length)] = await client.lLen(key)
          })
          return counts
        },
      }
    },
    async empty() {
      await eachBatch(`${keyPrefix}*`, (keys) => client.unlink(keys))
      await eachBatch(`${auditPrefix}*`, (keys) => client.unlink(keys))
    },
    close: async () => void (await client.close()),
  }
}

/** Microseconds of the whole server: `INFO cpu` has seconds, user and system apart. */
export function processorTime(info: string): number {
  const fields = [
    'used_cpu_sys',
    'used_cpu_user',
    'used_cpu_sys_children',
    'used_cpu_user_children',
  ]
  const seconds = fields.map((field) => {
    const [, value = '0'] = new RegExp(`^${field}:([\\d.]+)`, 'm').exec(info) ?? []
    return Number(value)
  })
  return seconds.reduce((sum, value) => sum + value) * 1e6
}
