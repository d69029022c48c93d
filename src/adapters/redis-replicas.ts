import type { RedisClient, RedisConnection } from './redis-connection.ts'

/** How many replicas have to know of a consumption, and how long they may take. */
export interface WaitForReplicas {
  /** At least 1. Not more than there are, or no consumption succeeds. */
  replicas: number

  /**
   * Milliseconds, at least 1. Other commands on the same connection wait meanwhile, so it should
   * be short, or the connection one that nothing else uses.
   */
  timeoutMs: number
}

/**
 * Wraps a consumption so that it counts only once enough replicas have it. When too few answered the
 * record stays consumed, no caller gets it, and this one gets an error: it fails closed.
 *
 * WAIT speaks of the writes of the connection it is sent on. On another one, after a reconnect or
 * from a pool, it would find nothing to wait for and answer with all replicas there are, so the
 * connection is asked for its id before the consumption and after the waiting.
 *
 * @throws TypeError when an option is out of bounds, or the client is a pool.
 */
export function confirmReplicas(
  redis: RedisConnection,
  client: RedisClient,
  { replicas, timeoutMs }: WaitForReplicas,
): (key: string, claim: () => Promise<boolean>) => Promise<boolean> {
  for (const [name, value] of Object.entries({ replicas, timeoutMs })) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new TypeError(`createRedisAdapter: waitForReplicas.${name} must be an integer over 0`)
    }
  }
  if (typeof client === 'object' && 'totalClients' in client) {
    throw new TypeError('createRedisAdapter: waitForReplicas needs a single connection, not a pool')
  }

  const whoAmI = async (key: string) => {
    const info = String(await redis.send(['CLIENT', 'INFO'], key))
    const identity = /\bid=\d+ addr=\S+ laddr=\S+/.exec(info)?.[0]
    if (!identity) throw new Error('waitForReplicas needs CLIENT INFO, and so Redis 6.2 or later')
    return identity
  }

  return async (key, claim) => {
    // sent together, in this order: one round trip
    const [before, won] = await Promise.all([whoAmI(key), claim()])
    if (!won) return false
    const [answered, after] = await Promise.all([
      redis.send(['WAIT', String(replicas), String(timeoutMs)], key),
      whoAmI(key),
    ])
    if (after !== before) {
      throw new Error(
        'The connection to Redis changed during a claim: whether replicas know of it is unknown. ' +
          'waitForReplicas needs a client with one connection, on Cluster one that routes by key.',
      )
    }
    if (!(Number(answered) >= replicas)) {
      throw new Error(
        `Only ${Number(answered)} of ${replicas} Redis replicas had the claim after ${timeoutMs} ms`,
      )
    }
    return true
  }
}
