// In place of send-uses.ts: adds uses to a stream of Redis. Nothing trims the stream. Set `appendonly yes`
// and `maxmemory-policy noeviction`, so that Redis does not lose what was not recorded yet.
import { setTimeout as wait } from 'node:timers/promises'
import type { ImpersonationUse } from 'oidc-provider-impersonation-resource-server'
import { createClient } from 'redis'

const { REDIS_URL = 'redis://localhost:6379' } = process.env

// While Redis is away, so many commands wait. Those that come then are rejected at once.
const redis = createClient({ url: REDIS_URL, commandsQueueMaxLength: 10_000 })
redis.on('error', (error) => console.error('uses wait:', error))
await redis.connect()
const adding = new Set<Promise<void>>()

/** For `onImpersonatedRequest`. A rejection becomes a process warning. */
export function record(use: ImpersonationUse): Promise<void> {
  const added = add(use).finally(() => adding.delete(added))
  adding.add(added)
  return added
}

/** At the end of the process: adds what waits, for 10 seconds. The rest is rejected. */
export async function flush(): Promise<void> {
  const late = wait(10_000, undefined, { ref: false })
  await Promise.race([Promise.allSettled(adding), late])
  redis.destroy()
}

/** A connection that breaks leaves open whether the use was added: a copy does no harm. */
async function add(use: ImpersonationUse): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await redis.xAdd('impersonation-uses', '*', { use: JSON.stringify(use) })
      return
    } catch (error) {
      if (attempt === 5) throw error
      await wait(attempt * 100)
    }
  }
}
