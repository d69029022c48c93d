import type { AdapterPayload } from 'oidc-provider'
import type { AdapterFactory, EndingAdapter } from '../contract.ts'
import {
  consumedAt,
  encodePayload,
  lifetime,
  listingKeys,
  secondaryKeys,
  storableKey,
} from '../record.ts'
import { connect, type RedisConnection } from './connection.ts'
import { redisEnding } from './ending.ts'
import { RedisKeys } from './keys.ts'
import { type RedisAdapterOptions, resolveRedisOptions } from './options.ts'
import { type Confirm, confirmReplicas, unconfirmed } from './replicas.ts'
import { attempt, parseArray, yes } from './replies.ts'
import * as scripts from './scripts.ts'
import { checkServer, onceChecked } from './server-check.ts'

export type { IoredisLike, NodeRedisLike, RedisClient, RedisCommand } from './command.ts'
export type { RedisAdapterOptions } from './options.ts'
export type { WaitForReplicas } from './replicas.ts'
export { checkRedis, type RedisRequirements } from './server-check.ts'

/** The factory that {@link createRedisAdapter} returns. */
export interface RedisAdapterFactory extends AdapterFactory {
  (model: string): EndingAdapter
  /**
   * Asks the server whether it may evict or forget records, as {@link checkRedis} does: at
   * start-up, to have the warning there and to learn that the server cannot be reached. Otherwise
   * the first `upsert` does it on the side; with `requirePersistence` every method waits for the
   * check and rejects while it fails. A successful result is kept; a call of this asks again and
   * replaces it.
   */
  check(): Promise<void>
}

/** How many records of a grant are revoked at once. */
const REVOKE_BATCH = 100

/**
 * An adapter for Redis 6.2 and later and Valkey. A record's payload, its consumption and its end are one
 * hash under one key, and so are a status list and its ended indices: what is evicted is lost together,
 * and guards refuse where there is no list. The look-ups of `list` are keys of their own: where one of
 * them is evicted, records are not listed. Run it with `maxmemory-policy noeviction`;
 * {@link checkRedis} warns.
 *
 * **Crash:** with an append-only file a consumption is there again after a restart. From a snapshot the
 * server comes back as it was when it was taken: a token that was redeemed since can be redeemed
 * again. `requirePersistence` refuses such a server. The same holds for an end.
 *
 * **Failover:** at most once per primary. Redis replicates asynchronously: a replica that becomes
 * primary without having heard of a consumption lets the token be redeemed again, and one that has
 * not heard of an end lets it go on. `waitForReplicas` makes that less likely; PostgreSQL avoids it.
 *
 * **Cluster:** every command and script touches a single key, so all methods work. With a client of a single server, what belongs together is one script over several keys; on
 * Cluster, and with a function as the client, look-ups come before the record, the index of an end
 * before its mark, and a method resolves after all of them. `upsert` of a record with a uid, user code or grant writes up to four keys, each
 * atomically but not together: it rejects unless all of them were written, and a stale index
 * entry is harmless, since each look-up compares the record with what it was looked up by.
 *
 * @example
 * const client = await createClient({ url, disableOfflineQueue: true }).connect()
 * new Provider(issuer, { ...configuration, adapter: createRedisAdapter({ client }) })
 *
 * @throws TypeError when an option is wrong.
 */
export function createRedisAdapter(options: RedisAdapterOptions): RedisAdapterFactory {
  const { client, keyPrefix, waitForReplicas, commandTimeoutMs, requirePersistence } =
    resolveRedisOptions(options)
  const connection = connect(client, commandTimeoutMs + (waitForReplicas?.timeoutMs ?? 0))
  const confirm = waitForReplicas
    ? confirmReplicas(connection, client, waitForReplicas)
    : unconfirmed
  let checked: Promise<void> | undefined

  const check = () => {
    const asked = checkServer(connection, { requirePersistence }).catch((error) => {
      checked = undefined
      throw error
    })
    checked = asked
    return asked
  }
  const checkOnce = () => checked ?? check()
  const guarded = requirePersistence ? onceChecked(checkOnce, connection) : connection
  const factory = (model: string): EndingAdapter => {
    const keys = new RedisKeys(`${keyPrefix}${model}:`)
    return redisAdapter(guarded, keys, model, { check, checkOnce }, confirm)
  }

  return Object.assign(factory, { check })
}

/** `check` always asks the server; `checkOnce` only if no check has succeeded yet. */
type Checks = Readonly<Record<'check' | 'checkOnce', () => Promise<void>>>

function redisAdapter(
  redis: RedisConnection,
  keys: RedisKeys,
  model: string,
  checks: Checks,
  confirm: Confirm,
): EndingAdapter {
  const ending = redisEnding(redis, keys, model)

  function point(key: string, id: string, life: string): Promise<unknown> {
    const expiry = life === '' ? [] : ['PX', life]
    return redis.send(['SET', key, storableKey(id), ...expiry], key)
  }

  async function follow(key: string): Promise<AdapterPayload | undefined> {
    const id = await redis.send(['GET', key], key)
    if (id === null || id === undefined) return undefined
    return ending.read(keys.to('id', String(id)))
  }

  return {
    consumesEveryModel: true,

    async upsert(id, payload, expiresIn) {
      // Ignore errors of this check. If Redis is down, the write rejects by itself.
      checks.checkOnce().catch(() => {})
      const milliseconds = lifetime(expiresIn)
      const life = milliseconds === undefined ? '' : String(milliseconds)
      const { uid, userCode, grantId } = secondaryKeys(payload)
      const consumed = consumedAt(payload, Date.now())

      const fields = [
        life,
        encodePayload(payload),
        consumed > 0 ? String(consumed) : '',
        grantId ? storableKey(grantId) : '',
      ] as const
      const listed = milliseconds === 0 ? undefined : listingKeys(model, payload)

      const writes: Promise<unknown>[] = [
        listed
          ? ending.write(id, listed, fields)
          : redis.run(scripts.upsertScript, keys.of('id', id), ...fields),
      ]
      if (milliseconds !== 0) {
        if (uid) writes.push(point(keys.of('uid', uid), id, life))
        if (userCode) writes.push(point(keys.of('userCode', userCode), id, life))
        if (grantId) {
          const key = keys.of('grant', grantId)
          writes.push(redis.run(scripts.keepScript, key, storableKey(id), life))
        }
      }
      await Promise.all(writes)
    },

    check: checks.check,

    find: async (id) => ending.read(keys.of('id', id)),
    async findByUid(uid) {
      const payload = await follow(keys.of('uid', uid))
      return payload?.uid === uid ? payload : undefined
    },

    async findByUserCode(userCode) {
      const payload = await follow(keys.of('userCode', userCode))
      return payload?.userCode === userCode ? payload : undefined
    },

    async consume(id) {
      await redis.run(scripts.consumeScript, keys.of('id', id))
    },

    async consumeOnce(id, note) {
      const key = keys.of('id', id)
      const consume = async () =>
        note
          ? ending.consumeOnce(id, note)
          : yes(await redis.run(scripts.consumeOnceScript, key, attempt()))
      return confirm(key, consume, Boolean)
    },

    endOnce: (id, end) => ending.endOnce(id, end, confirm),

    list: ending.list,

    endedIndices: ending.endedIndices,

    followEnded: ending.followEnded,

    async destroy(id) {
      const reply = await redis.run(scripts.destroyScript, keys.of('id', id))
      const [grant, ended] = parseArray(reply)
      if (typeof ended === 'string') await ending.gone(ended)
      if (grant === null || grant === undefined) return
      const key = keys.to('grant', String(grant))
      await redis.send(['ZREM', key, storableKey(id)], key)
    },

    async revokeByGrantId(grantId) {
      const key = keys.of('grant', grantId)
      const grant = storableKey(grantId)
      for (;;) {
        const command = ['ZRANGE', key, '0', String(REVOKE_BATCH - 1)]
        const members = parseArray(await redis.send(command, key))
        if (members.length === 0) return
        // records first, index last: what is interrupted here can be done again
        const ids = members.map(String)
        await Promise.all(
          ids.map((id) => redis.run(scripts.revokeScript, keys.to('id', id), grant)),
        )
        await redis.send(['ZREM', key, ...ids], key)
      }
    },
  }
}
