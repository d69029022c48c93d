import type { StoredEntry } from '../../store.ts'
import { parseList, parseNumber, parseText, type RedisConnection } from './connection.ts'
import type { RedisKeys } from './keys.ts'

/** How many numbers without an entry are passed over before it is an error. */
const MAX_GAP = 100_000

/** The entries with these numbers. One that is not there is left out. */
export async function entriesAt(
  redis: RedisConnection,
  keys: RedisKeys,
  numbers: readonly number[],
): Promise<StoredEntry[]> {
  if (numbers.length === 0) return []
  const fields = numbers.map(String)
  // In this order: an entry whose link is there was written before, or is removed.
  const [links, entries, counts] = await Promise.all(
    [keys.links, keys.entries, keys.counts].map(async (key) =>
      parseList(await redis.send('HMGET', key, ...fields)),
    ),
  )
  return fields.flatMap((cursor, index) => {
    const link = parseText(links?.[index])
    return link === undefined
      ? []
      : storedEntry(cursor, link, parseText(entries?.[index]), parseText(counts?.[index]))
  })
}

/** Entries by number. What was deleted by hand is passed over: `verify` finds it. */
export async function linksAfter(
  redis: RedisConnection,
  keys: RedisKeys,
  after: number,
  limit: number,
): Promise<StoredEntry[]> {
  const newest = parseText(await redis.send('GET', keys.newest))
  const end = newest === undefined ? 0 : parseNumber(newest)
  const found: StoredEntry[] = []
  for (let start = after; start < end && found.length < limit; start += limit) {
    if (start - after > MAX_GAP + limit) {
      throw new Error(`the audit in Redis has lost its entries after ${after}`)
    }
    const size = Math.min(limit, end - start)
    const numbers = Array.from({ length: size }, (_, index) => start + index + 1)
    found.push(...(await entriesAt(redis, keys, numbers)))
  }
  return found.slice(0, limit)
}

/** The row and the repeat key of an entry, and its text. */
export function entryParts(entry: string): {
  row: string | undefined
  repeatKey: string | undefined
  text: string
} {
  const end = entry.indexOf('\n')
  const names: unknown = JSON.parse(entry.slice(0, end))
  const [row, repeatKey]: unknown[] = Array.isArray(names) ? names : []
  return {
    row: typeof row === 'string' ? row : undefined,
    repeatKey: typeof repeatKey === 'string' ? repeatKey : undefined,
    text: entry.slice(end + 1),
  }
}

/** The parts of a link. */
export function linkParts(link: string) {
  const [sequence, hash = '', digest = '', ...writer] = link.split(' ')
  return { writer: writer.join(' '), sequence: parseNumber(sequence), hash, digest }
}

function storedEntry(
  cursor: string,
  link: string,
  entry: string | undefined,
  counted: string | undefined,
): StoredEntry {
  const { row, text } = entry === undefined ? {} : entryParts(entry)
  const [count = '1', lastTime] = counted?.split(' ') ?? []
  return {
    cursor,
    ...linkParts(link),
    row,
    text,
    count: Number(count),
    lastTime: Number(count) > 1 ? Number(lastTime) : undefined,
  }
}
