import type { RedisClient } from 'oidc-provider-impersonation/adapters/redis'
import { parseNumberCursor, parseRowCursor, rowCursor } from './cursor.ts'
import { keepForOf } from './keep-for.ts'
import { append } from './redis-append.ts'
import { connect, listOf, numberOf, textOf } from './redis-connection.ts'
import { findRows } from './redis-find.ts'
import { redisKeys } from './redis-keys.ts'
import { removedFrom, removeEntriesOfNoRow, removeRow } from './redis-removal.ts'
import { HASH } from './redis-scripts.ts'
import { entriesAt, linksAfter } from './redis-stored.ts'
import { rowOf } from './row-columns.ts'
import type { AuditStore, Batch, ChainHead } from './store.ts'

/** Options of {@link createRedisAudit}. */
export interface RedisAuditOptions {
  /**
   * A connected client: node-redis (`createClient`), ioredis (`Redis` or `Cluster`), or a function
   * that sends one command. For node-redis' `createCluster`:
   * `(args, key) => cluster.sendCommand(key, false, args)`.
   *
   * Let it fail while it is not connected (node-redis `disableOfflineQueue`, ioredis
   * `enableOfflineQueue: false`) rather than wait. A reply that takes over 2 seconds is a failure.
   */
  readonly client: RedisClient
  /**
   * How long an impersonation is kept after its last entry, in seconds: a whole number, 1 or more.
   *
   * @defaultValue for ever
   */
  readonly keepFor?: number | undefined
  /**
   * What all keys begin with, in braces: 1 to 100 characters without braces. Deployments that share a
   * Redis need different prefixes.
   *
   * @defaultValue 'impersonation-audit'
   */
  readonly prefix?: string | undefined
}

/** Calls that come while one is under way wait for it, whatever becomes of it. */
function inTurn<T>(work: (input: T) => Promise<void>): (input: T) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  return (input) => {
    const next = last.then(() => work(input))
    last = next.catch(() => {})
    return next
  }
}

/** At most so many are counted. */
const MAX_COUNTED = 100
/** So many checkpoints are kept. */
const MAX_CHECKPOINTS = 10_000

/**
 * Keeps the audit in Redis 6.2 or later, or Valkey. Several processes may share it. All keys are in
 * one slot, so one node of a cluster keeps the whole audit.
 *
 * Run Redis with `maxmemory-policy noeviction` and an append-only file. A Redis that throws keys
 * away, or forgets the last seconds when it crashes, loses entries of the audit. `checkRedis` of
 * `oidc-provider-impersonation/adapters/redis` warns of both.
 *
 * @example
 * audit: createRedisAudit({ client: await createClient({ url, disableOfflineQueue: true }).connect() })
 *
 * @throws TypeError when an option is wrong.
 */
export function createRedisAudit(options: RedisAuditOptions): AuditStore {
  const { client, prefix = 'impersonation-audit' } = options
  if (typeof prefix !== 'string' || !/^[^{}]{1,100}$/.test(prefix)) {
    throw new TypeError('createRedisAudit: prefix must be 1 to 100 characters without braces')
  }
  if (!client) throw new TypeError('createRedisAudit: client is missing')
  const keepFor = keepForOf(options, 'createRedisAudit')
  const keys = redisKeys(prefix)
  const redis = connect(client, keys.rows)

  return {
    keepFor,
    async open() {
      // Nothing has to be created. It rejects where the server is away, or the key is of another kind.
      await redis.send('HLEN', keys.rows)
    },
    // One after the other: batches of one process must not get in each other's way.
    append: inTurn((batch: Batch) => append(redis, keys, batch)),

    async find(filter, { before: cursor, limit, now }) {
      const before = cursor === undefined ? undefined : parseRowCursor(cursor)
      const range = { before, limit: limit + 1 }
      const rows = await findRows(redis, keys, filter, range, now)
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      return { rows: page, next: rows.length > limit && last ? rowCursor(last) : undefined }
    },

    async countNewer(filter, after, now) {
      return (await findRows(redis, keys, filter, { after, limit: MAX_COUNTED }, now)).length
    },

    async row(id) {
      const text = textOf(await redis.send('HGET', keys.rows, id))
      return text === undefined ? undefined : rowOf(text)
    },

    async timeline(id, { after, limit }) {
      const start = after === undefined ? '-inf' : `(${parseNumberCursor(after)}`
      const command = ['ZRANGEBYSCORE', keys.timeline(id), start, '+inf', 'LIMIT', '0']
      const found = listOf(await redis.send(...command, String(limit)))
      return entriesAt(redis, keys, found.map(numberOf))
    },

    async entries({ after, limit }) {
      const start = after === undefined ? 0 : parseNumberCursor(after)
      return linksAfter(redis, keys, start, limit)
    },

    async newest() {
      return textOf(await redis.send('GET', keys.newest))
    },

    async heads() {
      const chains = listOf(await redis.run(HASH, [keys.chains], []))
      return chains.flatMap((text, index): ChainHead[] => {
        if (index % 2 === 0) return []
        const [, sequence, hash] = (textOf(text) ?? '').split(' ')
        if (!sequence || !hash) return []
        return [{ writer: textOf(chains[index - 1]) ?? '', sequence: Number(sequence), hash }]
      })
    },

    async remove(before, limit) {
      const end = `(${before}`
      const command = ['ZRANGEBYSCORE', keys.last, '-inf', end, 'LIMIT', '0', String(limit)]
      let removed = 0
      for (const id of listOf(await redis.send(...command))) {
        removed += await removeRow(redis, keys, textOf(id) ?? '', before)
      }
      return removed + (await removeEntriesOfNoRow(redis, keys, before, limit))
    },

    async removed() {
      return removedFrom(redis, keys)
    },

    async keepCheckpoint(jws, time) {
      await redis.send('ZADD', keys.checkpoints, String(time), jws)
      await redis.send('ZREMRANGEBYRANK', keys.checkpoints, '0', String(-MAX_CHECKPOINTS - 1))
    },

    async checkpoints(limit) {
      if (limit < 1) return []
      const found = await redis.send('ZREVRANGE', keys.checkpoints, '0', String(limit - 1))
      return listOf(found).map((jws) => textOf(jws) ?? '')
    },

    async close() {},
  }
}
