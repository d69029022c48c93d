import type { RedisClient } from './command.ts'
import type { WaitForReplicas } from './replicas.ts'
import type { RedisRequirements } from './server-check.ts'

/** Options of {@link createRedisAdapter}. */
export interface RedisAdapterOptions extends RedisRequirements {
  /**
   * A connected client: node-redis (`createClient`), ioredis (`Redis` or `Cluster`), or a function
   * that sends one command. For node-redis' `createCluster`:
   * `(args, key) => cluster.sendCommand(key, false, args)`; for its `createSentinel`:
   * `(args) => sentinel.sendCommand(false, args)`.
   *
   * Let it fail while it is not connected (node-redis `disableOfflineQueue`, ioredis
   * `enableOfflineQueue: false`) rather than wait.
   */
  client: RedisClient

  /**
   * How long a reply may take, in milliseconds: at least 1. Then the method rejects, and what the
   * command did is not known. A consumption whose reply is late is lost rather than repeated.
   *
   * @defaultValue `2000`
   */
  commandTimeoutMs?: number

  /**
   * The prefix of all keys. Deployments that share a Redis need different prefixes.
   *
   * @defaultValue `'oidc:'`
   */
  keyPrefix?: string

  /**
   * Makes `consumeOnce` and `endOnce` wait until that many replicas have the consumption or the end,
   * and reject when too few answered in time. On Cluster an end waits on the server of its status list
   * first, then on that of its record. Look-ups are not waited for. Narrows the gap at a failover, and
   * does not close it: another replica may be promoted.
   *
   * @defaultValue none: a consumption counts once the primary has it
   */
  waitForReplicas?: WaitForReplicas
}

/** @throws TypeError when an option is wrong. */
export function resolveRedisOptions(options: RedisAdapterOptions) {
  const { client, keyPrefix = 'oidc:', waitForReplicas, commandTimeoutMs = 2000 } = options
  const { requirePersistence = false } = options
  if (!Number.isSafeInteger(commandTimeoutMs) || commandTimeoutMs < 1) {
    throw new TypeError('createRedisAdapter: commandTimeoutMs must be an integer over 0')
  }
  if (typeof requirePersistence !== 'boolean') {
    throw new TypeError('createRedisAdapter: requirePersistence must be true or false')
  }
  return { client, keyPrefix, waitForReplicas, commandTimeoutMs, requirePersistence }
}
