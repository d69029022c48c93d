import { malformedCursor } from './cursor.ts'
import { encodeEntry } from './entry.ts'
import { placeReader } from './reader.ts'
import type { AuditStore, Place } from './store.ts'

/** The part of a node-redis client that is used. */
export interface RedisClient {
  sendCommand(args: string[]): Promise<unknown>
}

/** How long a reply may take, in milliseconds. */
const COMMAND_TIMEOUT = 2000

const ENTRIES = 'example:audit'
/** With the braces, a cluster keeps these keys on the same node as the stream. */
const REPEATS = '{example:audit}:repeats'
const WRITER = '{example:audit}:writer:'
const LARGEST = 2n ** 63n

/** A batch is never repeated after this time, in seconds. */
const REMEMBERED = 86_400

/**
 * KEYS: the stream, the hash of repeated events, the last batch of the writer. ARGV: the batch
 * number, its lifetime, and entry, key, count and last time of each record.
 *
 * The script writes the batch number last. If the script fails half-way, entries are written twice,
 * but none is lost. An entry that was deleted by hand gets no more counts.
 */
const APPEND = `
if tonumber(redis.call('GET', KEYS[3]) or 0) >= tonumber(ARGV[1]) then return 0 end
for at = 3, #ARGV, 4 do
  local entry, key, count, last = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local id = key ~= '' and redis.call('HGET', KEYS[2], 'id:' .. key)
  if id and #redis.call('XRANGE', KEYS[1], id, id) == 0 then id = false end
  if not id then
    id = redis.call('XADD', KEYS[1], '*', 'entry', entry)
    if key ~= '' then
      redis.call('HSET', KEYS[2], 'id:' .. key, id, 'count:' .. id, count, 'last:' .. id, last)
    end
  else
    redis.call('HINCRBY', KEYS[2], 'count:' .. id, count)
    if tonumber(redis.call('HGET', KEYS[2], 'last:' .. id)) < tonumber(last) then
      redis.call('HSET', KEYS[2], 'last:' .. id, last)
    end
  end
end
redis.call('SET', KEYS[3], ARGV[1], 'EX', ARGV[2])
return 1
`

/**
 * A stream whose ids are the cursors. Redis makes ids in order and runs one command at a time, so
 * no reader sees a later entry first. Needs Redis 6.2 for ranges that exclude their ends.
 */
export function redisAudit(client: RedisClient): AuditStore {
  const place = placeReader()
  const send = (...args: string[]) => inTime(client.sendCommand(args))

  async function read(command: string, ...range: [string, string, limit: number]) {
    const [start, end, limit] = range
    const found = list(await send(command, ENTRIES, start, end, 'COUNT', String(limit))).map(list)
    if (found.length === 0) return []
    const ids = found.map(([id]) => String(id))
    const fields = ids.flatMap((id) => [`count:${id}`, `last:${id}`])
    const repeats = list(await send('HMGET', REPEATS, ...fields))
    return found.map(([, entry], index): Place => {
      const repetition = { count: repeats[2 * index], lastTime: repeats[2 * index + 1] }
      return place(ids[index] ?? '', list(entry)[1], repetition)
    })
  }

  return {
    async append({ writer, number, records }) {
      await send(
        ...['EVAL', APPEND, '3', ENTRIES, REPEATS, `${WRITER}${writer}`],
        ...[String(number), String(REMEMBERED)],
        ...records.flatMap(({ entry, repeatKey = '', count, lastTime }) => [
          encodeEntry(entry),
          repeatKey,
          String(count),
          String(lastTime),
        ]),
      )
    },
    async before(cursor, limit) {
      return read('XREVRANGE', cursor === undefined ? '+' : `(${streamId(cursor)}`, '-', limit)
    },
    async after(cursor, limit) {
      return read('XRANGE', cursor === undefined ? '-' : `(${streamId(cursor)}`, '+', limit)
    },
  }
}

/** Refuses the first and the last possible id: Redis has no range before or after them. */
function streamId(cursor: string): string {
  const [, ...parts] = /^([1-9]\d{0,18})-(0|[1-9]\d{0,18})$/.exec(cursor) ?? []
  if (parts.length === 2 && parts.every((part) => BigInt(part) < LARGEST)) return cursor
  throw malformedCursor()
}

/** Rejects where a reply takes too long. The batch is then sent again. */
function inTime<T>(reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const tooLate = () => reject(new Error(`Redis did not answer within ${COMMAND_TIMEOUT} ms`))
    const timer = setTimeout(tooLate, COMMAND_TIMEOUT)
    reply.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function list(reply: unknown): unknown[] {
  if (!Array.isArray(reply)) throw new Error('Redis answered something that is no list')
  return reply
}
