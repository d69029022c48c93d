import type { RedisClient } from 'oidc-provider-impersonation/adapters/redis'
import type { AuditRow, ChainHead, StoredPermit } from 'oidc-provider-impersonation-verify/format'
import type { Batch } from '../../batch.ts'
import type { AuditStore } from '../../store.ts'
import { malformedCursor, parseNumberCursor, parseRowCursor, rowCursor } from '../cursor.ts'
import { parseKeepFor } from '../keep-for.ts'
import { parseRow } from '../row-columns.ts'
import { append } from './append.ts'
import { connect, parseList, parseNumber, parseText } from './connection.ts'
import { filedRows } from './filed.ts'
import { findRows } from './find.ts'
import { redisKeys } from './keys.ts'
import { redisPermits } from './permits.ts'
import { removedFrom, removeEntriesOfNoRow, removePermit, removeRow } from './removal.ts'
import { HASH_SCRIPT } from './scripts.ts'
import { entriesAt, linksAfter } from './stored.ts'

/** Options of {@link createRedisAudit}. */
export interface RedisAuditOptions {
  /**
   * A connected client: node-redis (`createClient`), ioredis (`Redis` or `Cluster`), or a function
   * that sends one command. For node-redis' `createCluster`:
   * `(args, key) => cluster.sendCommand(key, false, args)`; for its `createSentinel`:
   * `(args) => sentinel.sendCommand(false, args)`.
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
function writeQueue<T, R>(work: (input: T) => Promise<R>): (input: T) => Promise<R> {
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
  const keepFor = parseKeepFor(options, 'createRedisAudit')
  const keys = redisKeys(prefix)
  const redis = connect(client, keys.rows)

  return {
    keepFor,
    ...redisPermits(redis, keys),
    async open() {
      // Nothing has to be created. It rejects where the server is away, or the key is of another kind.
      await redis.send('HLEN', keys.rows)
    },
    // One after the other: batches of one process must not get in each other's way.
    append: writeQueue((batch: Batch) => append(redis, keys, batch)),

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
      const text = parseText(await redis.send('HGET', keys.rows, id))
      return text === undefined ? undefined : parseRow(text)
    },

    async rowIds({ after = '0', limit }) {
      if (!/^\d{1,20}$/.test(after)) throw malformedCursor()
      const found = await redis.send('HSCAN', keys.rows, after, 'COUNT', String(limit))
      const [next, fields] = parseList(found)
      const texts = parseList(fields).map((each) => parseText(each) ?? '')
      const pairs = texts.flatMap((id, index) =>
        index % 2 === 0 ? [[id, texts[index + 1] ?? ''] as const] : [],
      )
      const cursor = parseText(next)
      return {
        rows: await filedRows(redis, keys, pairs),
        next: cursor === '0' ? undefined : cursor,
      }
    },

    async timeline(id, { after, limit }) {
      const start = after === undefined ? '-inf' : `(${parseNumberCursor(after)}`
      const command = ['ZRANGEBYSCORE', keys.timeline(id), start, '+inf', 'LIMIT', '0']
      const found = parseList(await redis.send(...command, String(limit)))
      return entriesAt(redis, keys, found.map(parseNumber))
    },

    async entries({ after, limit }) {
      const start = after === undefined ? 0 : parseNumberCursor(after)
      return linksAfter(redis, keys, start, limit)
    },

    async newest() {
      return parseText(await redis.send('GET', keys.newest))
    },

    async heads() {
      const chains = parseList(await redis.run(HASH_SCRIPT, [keys.chains], []))
      return chains.flatMap((text, index): ChainHead[] => {
        if (index % 2 === 0) return []
        const [, sequence, hash] = (parseText(text) ?? '').split(' ')
        if (!sequence || !hash) return []
        return [{ writer: parseText(chains[index - 1]) ?? '', sequence: Number(sequence), hash }]
      })
    },

    async remove(before, limit) {
      const isOld = ({ hold, lastAt }: AuditRow) => !hold?.isHeld && lastAt < before
      const isOver = ({ overAt }: StoredPermit) => overAt !== undefined && overAt < before
      const end = `(${before}`
      const command = ['ZRANGEBYSCORE', keys.last, '-inf', end, 'LIMIT', '0', String(limit)]
      let removed = 0
      for (const id of parseList(await redis.send(...command))) {
        removed += await removeRow(redis, keys, parseText(id) ?? '', isOld)
      }
      const over = ['ZRANGEBYSCORE', keys.permitsOver, ...command.slice(2)]
      for (const id of parseList(await redis.send(...over))) {
        removed += await removePermit(redis, keys, parseText(id) ?? '', isOver)
      }
      return removed + (await removeEntriesOfNoRow(redis, keys, before, limit))
    },

    removePermit: async (id, mayGo) => (await removePermit(redis, keys, id, mayGo)) > 0,
    removeRow: async (id, mayGo) => (await removeRow(redis, keys, id, mayGo)) > 0,

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
      return parseList(found).map((jws) => parseText(jws) ?? '')
    },

    async close() {},
  }
}
