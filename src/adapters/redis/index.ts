import { resolve } from '../../options/rules.ts'
import type { AdapterFactory, EndingAdapter } from '../contract.ts'
import { redisAdapter } from './adapter.ts'
import { connect, type RedisClient } from './connection.ts'
import { checkServer, REDIS_RULES, type RedisRequirements } from './server-check.ts'

export type { IoredisLike, NodeRedisLike, RedisClient, RedisCommand } from './connection.ts'
export type { RedisRequirements } from './server-check.ts'

/** Options of {@link createRedisAdapter}. */
export interface RedisAdapterOptions extends RedisRequirements {
  /**
   * A connected client: node-redis (`createClient`), ioredis (`Redis` or `Cluster`), or a function
   * that sends one command. With node-redis, use `(args, key) => cluster.sendCommand(key, false,
   * args)` or `(args) => sentinel.sendCommand(false, args)`. Let it fail while it is not connected
   * (node-redis `disableOfflineQueue`, ioredis `enableOfflineQueue: false`).
   * @example
   * client: (args) => sentinel.sendCommand(false, args)
   */
  client: RedisClient

  /**
   * The timeout of a reply, in milliseconds: 1 to 2147483647. After it, the method rejects, and the
   * effect of the command is unknown.
   * @defaultValue `2000`
   */
  commandTimeoutMs?: number

  /**
   * The prefix of all keys. Deployments that share a Redis need different prefixes.
   * @defaultValue `'oidc:'`
   * @example
   * keyPrefix: 'id:'
   */
  keyPrefix?: string
}

/** The factory that {@link createRedisAdapter} returns. */
export interface RedisAdapterFactory extends AdapterFactory {
  (model: string): EndingAdapter
  /**
   * Checks whether the server may evict or lose records, and warns. Call it at the start to get
   * the warning there, and to notice that the server cannot be reached. Otherwise the first
   * `upsert` does it on the side. With `requirePersistence` every method waits for the check and
   * rejects while it fails. A successful result is kept. A call of this checks again and replaces
   * it.
   */
  check(): Promise<void>
}

/**
 * An adapter for Redis 6.2 and later and Valkey. A record's payload, its consumption and its end
 * are one hash under one key, and so are a status list and its ended indices. An evicted key is
 * lost as a whole, and guards refuse if there is no list. The look-ups of `list` are keys of their
 * own. If one of them is evicted, its records are not listed. Run it with
 * `maxmemory-policy noeviction`; {@link RedisAdapterFactory.check} warns.
 *
 * **Crash:** with an append-only file a consumption is there again after a restart. A server that
 * starts from a snapshot has the state of that snapshot. A token that was redeemed since can be
 * redeemed again. `requirePersistence` refuses such a server. The same holds for an end.
 *
 * **Failover:** at most once per primary. Redis replicates asynchronously. A replica that becomes
 * primary without a consumption lets the token be redeemed again, and one without an end lets the
 * impersonation go on. PostgreSQL avoids it.
 *
 * **Cluster:** each script touches a single key, so all methods work. Look-ups are written before
 * their record, and the index of an end before its mark. A method rejects unless all was written.
 * A look-up that was written alone is harmless, because each listing checks the record itself.
 *
 * @example
 * const client = await createClient({ url, disableOfflineQueue: true }).connect()
 * new Provider(issuer, { ...configuration, adapter: createRedisAdapter({ client }) })
 *
 * @throws TypeError if an option is wrong
 */
export function createRedisAdapter(options: RedisAdapterOptions): RedisAdapterFactory {
  const { client, keyPrefix, commandTimeoutMs, requirePersistence } = resolve(
    REDIS_RULES,
    options,
    'createRedisAdapter',
  )
  const connection = connect(client, commandTimeoutMs)
  let checked: Promise<void> | undefined

  const check = () => {
    const asked = checkServer(connection, requirePersistence).catch((error) => {
      checked = undefined
      throw error
    })
    checked = asked
    return asked
  }
  const checkOnce = () => checked ?? check()
  const redis = requirePersistence ? connect(client, commandTimeoutMs, checkOnce) : connection
  const store = { redis, check, checkOnce }
  const factory = (model: string): EndingAdapter =>
    redisAdapter(store, `${keyPrefix}${model}:`, model)

  return Object.assign(factory, { check })
}
