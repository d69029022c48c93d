import { Places } from './redis-append.ts'
import { listOf, numberOf, type RedisConnection, textOf } from './redis-connection.ts'
import { placesOf, type RedisKeys } from './redis-keys.ts'
import { BITS, HASH, REMOVE } from './redis-scripts.ts'
import { entryParts, linkParts } from './redis-stored.ts'
import type { AuditRow } from './row.ts'
import { rowOf } from './row-columns.ts'
import type { RemovedFrom } from './store.ts'

/** How many entries one script removes. */
const STEP = 1000

/** Removes a row with its entries, unless it was held or got a newer entry. */
export async function removeRow(
  redis: RedisConnection,
  keys: RedisKeys,
  id: string,
  before: number,
): Promise<number> {
  for (let removed = 0; ; ) {
    const read = textOf(await redis.send('HGET', keys.rows, id))
    const row = read === undefined ? undefined : rowOf(read)
    if (read === undefined || !row || row.hold?.isHeld || row.lastAt >= before) return removed
    const timeline = keys.timeline(id)
    const numbers = listOf(await redis.send('ZRANGE', timeline, '0', String(STEP - 1)))
    const command = await commandOf(redis, keys, numbers, { before, list: timeline, row, read })
    const step = numberOf(await redis.run(REMOVE, ...command))
    if (step <= 0) return removed
    removed += step
  }
}

/** Removes at most `limit` entries that are about no impersonation, and are old enough. */
export async function removeEntriesOfNoRow(
  redis: RedisConnection,
  keys: RedisKeys,
  before: number,
  limit: number,
): Promise<number> {
  let removed = 0
  while (removed < limit) {
    const size = String(Math.min(STEP, limit - removed))
    const range = ['-inf', `(${before}`, 'LIMIT', '0', size]
    const numbers = listOf(await redis.send('ZRANGEBYSCORE', keys.rowless, ...range))
    if (numbers.length === 0) break
    const command = await commandOf(redis, keys, numbers, { before, list: keys.rowless })
    const step = numberOf(await redis.run(REMOVE, ...command))
    if (step <= 0) break
    removed += step
  }
  return removed
}

interface What {
  readonly before: number
  /** The sorted set that has the entries. */
  readonly list: string
  readonly row?: AuditRow
  /** The row as it was read. */
  readonly read?: string
}

async function commandOf(
  redis: RedisConnection,
  keys: RedisKeys,
  numbers: readonly unknown[],
  { before, list, row, read = '' }: What,
): Promise<[keys: string[], args: string[]]> {
  const sets = new Places([
    ...[keys.entries, keys.counts, keys.repeats, keys.removedUpTo, list],
    ...[keys.rows, keys.searches],
  ])
  const fields = numbers.map((number) => textOf(number) ?? '')
  const [links, entries] = await Promise.all(
    [keys.links, keys.entries].map(async (key) =>
      fields.length === 0 ? [] : listOf(await redis.send('HMGET', key, ...fields)),
    ),
  )
  const removals = fields.flatMap((number, index) => {
    const [link, entry] = [textOf(links?.[index]), textOf(entries?.[index])]
    if (link === undefined) throw new Error(`entry ${number} of the audit in Redis has no link`)
    const { writer, sequence } = linkParts(link)
    const { repeatKey = '' } = entry === undefined ? {} : entryParts(entry)
    return [number, sets.placeOf(keys.removed(writer)), writer, sequence, repeatKey]
  })
  const places = [...placesOf(keys, row).keys()]
  const first = sets.keys.length + 1
  const args = [row?.id ?? '', read, before, first, ...removals].map(String)
  return [[...sets.keys, ...places], args]
}

/** How many bytes of a bitmap one script reads: eight times as many entries. */
const BYTES = 65_536

export async function removedFrom(redis: RedisConnection, keys: RedisKeys): Promise<RemovedFrom[]> {
  const fields = listOf(await redis.run(HASH, [keys.removedUpTo], [])).map(textOf)
  const removed: RemovedFrom[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [writer = '', upTo] = [fields[at], numberOf(fields[at + 1])]
    removed.push({ writer, upTo, except: await keptUpTo(redis, keys.removed(writer), upTo) })
  }
  return removed
}

/** The places of the bits that are not set, from 1. */
async function keptUpTo(redis: RedisConnection, bitmap: string, upTo: number): Promise<number[]> {
  const kept: number[] = []
  for (let start = 0; start * 8 <= upTo; start += BYTES) {
    const range = [start, start + BYTES - 1].map(String)
    const bytes = Buffer.from(textOf(await redis.run(BITS, [bitmap], range)) ?? '', 'hex')
    for (let index = 0; index < BYTES; index += 1) {
      const byte = bytes[index] ?? 0
      if (byte === 0xff) continue
      for (let bit = 0; bit < 8; bit += 1) {
        const sequence = (start + index) * 8 + bit
        if (sequence > upTo) return kept
        if (sequence > 0 && !(byte & (0x80 >> bit))) kept.push(sequence)
      }
    }
  }
  return kept
}
