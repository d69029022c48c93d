import { connect, type RedisClient } from '../../src/adapters/redis-connection.ts'
import { malformedCursor } from '../audit/cursor.ts'
import { type AuditStore, encodeEntry, type Place } from '../audit/entry.ts'
import { placeReader, type ReadPlace } from '../audit/reader.ts'

const KEY = 'example:audit'
const LARGEST = 2n ** 63n

/**
 * A stream, whose ids are the cursors. Redis gives them out in order and does one thing at a time,
 * so nobody sees a later entry first. It needs Redis 6.2, for ranges without their ends.
 */
export function redisAudit(client: RedisClient, commandTimeoutMs: number): AuditStore {
  const redis = connect(client, commandTimeoutMs)
  const place = placeReader()
  const send = (...args: string[]) => redis.send(args, KEY)

  return {
    async append(entry) {
      await send('XADD', KEY, '*', 'entry', encodeEntry(entry))
    },
    async before(cursor, limit) {
      const end = cursor === undefined ? '+' : `(${streamId(cursor)}`
      return placesOf(await send('XREVRANGE', KEY, end, '-', 'COUNT', String(limit)), place)
    },
    async after(cursor, limit) {
      const start = cursor === undefined ? '-' : `(${streamId(cursor)}`
      return placesOf(await send('XRANGE', KEY, start, '+', 'COUNT', String(limit)), place)
    },
  }
}

/** Not the first and the last id that there could be: Redis knows nothing before and after them. */
function streamId(cursor: string): string {
  const [, ...parts] = /^([1-9]\d{0,18})-(0|[1-9]\d{0,18})$/.exec(cursor) ?? []
  if (parts.length === 2 && parts.every((part) => BigInt(part) < LARGEST)) return cursor
  throw malformedCursor()
}

function placesOf(reply: unknown, place: ReadPlace): Place[] {
  if (!Array.isArray(reply)) throw new Error('Redis answered something that is no range')
  return reply.map(([id, fields]: [unknown, unknown[]]) => place(String(id), fields[1]))
}
