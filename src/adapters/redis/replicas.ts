import { integer } from '../../options/rules.ts'
import type { RedisClient, RedisConnection } from './connection.ts'

/** The longest time-out that a timer of Node can have: 24.8 days. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** How many replicas have to know of a consumption, and how long they may take. */
export interface WaitForReplicas {
  /**
   * The number to wait for, in replicas: 1 to 1000. Not more than there are, or no consumption succeeds.
   *
   * @example
   * replicas: 1
   */
  replicas: number

  /**
   * How long to wait, in milliseconds: 1 to 2147483647. Other commands on the same connection wait
   * meanwhile, so it should be short, or the connection one that nothing else uses.
   *
   * @example
   * timeoutMs: 200
   */
  timeoutMs: number
}

export const REPLICA_RULES = {
  replicas: integer(1, 1000).required('how many replicas have to know of a consumption'),
  timeoutMs: integer(1, MAX_TIMEOUT_MS).required('milliseconds'),
}

/**
 * Runs a write to the server of a key, and resolves what it resolved once enough replicas have it.
 *
 * @param isDue whether there is something to wait for, by what the write resolved; by default always
 */
export type Confirm = <T>(
  key: string,
  write: () => Promise<T>,
  isDue?: (written: T) => boolean,
) => Promise<T>

/** Waits for no replica. */
export const unconfirmed: Confirm = (_key, write) => write()

/**
 * Lets a consumption or an end count only once enough replicas have it. When too few answered the
 * record stays consumed, no caller gets it, and this one gets an error: it fails closed. An end stands
 * as well, and is confirmed once it is asked for again.
 *
 * WAIT speaks of the writes of the connection it is sent on. On another one, after a reconnect or
 * from a pool, it would find nothing to wait for and answer with all replicas there are, so the
 * connection is asked for its id before the write and after the waiting.
 *
 * @throws TypeError when the client has several connections.
 */
export function confirmReplicas(
  redis: RedisConnection,
  client: RedisClient,
  { replicas, timeoutMs }: WaitForReplicas,
): Confirm {
  if (typeof client === 'object' && 'totalClients' in client) {
    throw new TypeError('createRedisAdapter.waitForReplicas needs a single connection, not a pool')
  }
  if (Reflect.get(client, 'isCluster') === true) {
    throw new TypeError(
      "createRedisAdapter.waitForReplicas does not work with ioredis' Cluster, which sends WAIT to any server: give the function of docs/adapter-contract.md, that sends it to the server of the key",
    )
  }

  const whoAmI = async (key: string) => {
    const info = String(await redis.send(['CLIENT', 'INFO'], key))
    const identity = /\bid=\d+ addr=\S+ laddr=\S+/.exec(info)?.[0]
    if (!identity) throw new Error('waitForReplicas needs CLIENT INFO, and so Redis 6.2 or later')
    return identity
  }

  return async (key, write, isDue = () => true) => {
    // Sent together, in this order, by a client: one round trip. A function may send in another order.
    const known = whoAmI(key)
    if (typeof client === 'function') await known
    const [before, written] = await Promise.all([known, write()])
    if (!isDue(written)) return written
    const [answered, after] = await Promise.all([
      redis.send(['WAIT', String(replicas), String(timeoutMs)], key),
      whoAmI(key),
    ])
    if (after !== before) {
      throw new Error(
        'The connection to Redis changed during a consumption: whether replicas know of it is unknown. ' +
          'waitForReplicas needs a client with one connection, on Cluster one that routes by key.',
      )
    }
    if (!(Number(answered) >= replicas)) {
      throw new Error(
        `Only ${Number(answered)} of ${replicas} Redis replicas had the write after ${timeoutMs} ms`,
      )
    }
    return written
  }
}
