import type { AuditRow, RemovedFrom, StoredPermit } from 'oidc-provider-impersonation-verify/format'
import { parsePermit } from '../permit-record.ts'
import { parseRow } from '../row-columns.ts'
import { parseList, parseNumber, parseText, type RedisConnection } from './connection.ts'
import { type RedisKeys, setScores } from './keys.ts'
import { permitScores } from './permits.ts'
import { BITS_SCRIPT, HASH_SCRIPT, REMOVE_SCRIPT } from './scripts.ts'
import { linkParts } from './stored.ts'

/** How many entries of no row one script removes, and how many links are read at once. */
const ENTRIES_PER_SCRIPT = 1000

/**
 * Removes a row with its entries, where it may go as it is then. One script removes all of it:
 * Redis serves nothing else meanwhile, some milliseconds for each thousand entries.
 */
export async function removeRow(
  redis: RedisConnection,
  keys: RedisKeys,
  id: string,
  mayGo: (row: AuditRow) => boolean,
): Promise<number> {
  for (;;) {
    const read = parseText(await redis.send('HGET', keys.rows, id))
    const row = read === undefined ? undefined : parseRow(read)
    if (read === undefined || !row || !mayGo(row)) return 0
    const indexKeys = [...setScores(keys, row).keys()]
    const removed = await removeAsRead(redis, keys, { id, read, rows: keys.rows, indexKeys })
    if (removed >= 0) return removed
  }
}

/** Removes a permit with its entries, where it may go as it is then. */
export async function removePermit(
  redis: RedisConnection,
  keys: RedisKeys,
  id: string,
  mayGo: (permit: StoredPermit) => boolean,
): Promise<number> {
  for (;;) {
    const read = parseText(await redis.send('HGET', keys.permits, id))
    const permit = read === undefined ? undefined : parsePermit(read)
    if (read === undefined || !permit || !mayGo(permit)) return 0
    const slot = permit.slot === undefined ? [] : keys.permitsOf(permit.slot)
    const indexKeys = [...permitScores(keys, permit).keys()].concat(slot)
    const removed = await removeAsRead(redis, keys, { id, read, rows: keys.permits, indexKeys })
    if (removed >= 0) return removed
  }
}

interface ReadRow {
  readonly id: string
  readonly read: string
  /** The hash that has it. */
  readonly rows: string
  /** The sorted sets that have it. */
  readonly indexKeys: readonly string[]
}

/** @returns -1 where it is no longer as it was read */
async function removeAsRead(
  redis: RedisConnection,
  keys: RedisKeys,
  { id, read, rows, indexKeys }: ReadRow,
): Promise<number> {
  const timeline = keys.timeline(id)
  const writers = await writersIn(redis, keys, (start) => [
    ...['ZRANGE', timeline, String(start), String(start + ENTRIES_PER_SCRIPT - 1)],
  ])
  const args = [id, read, '', '', String(writers.length), ...writers]
  const all = keysOf({ ...keys, rows }, timeline, writers, indexKeys)
  return parseNumber(await redis.run(REMOVE_SCRIPT, all, args))
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
    const size = String(Math.min(ENTRIES_PER_SCRIPT, limit - removed))
    const range = ['-inf', `(${before}`, 'LIMIT']
    const writers = await writersIn(redis, keys, (start) =>
      start === 0 ? ['ZRANGEBYSCORE', keys.rowless, ...range, '0', size] : undefined,
    )
    if (writers.length === 0) break
    const args = ['', '', String(before), size, String(writers.length), ...writers]
    const step = parseNumber(
      await redis.run(REMOVE_SCRIPT, keysOf(keys, keys.rowless, writers), args),
    )
    if (step === 0) break
    removed += Math.max(step, 0)
  }
  return removed
}

function keysOf(
  keys: RedisKeys,
  list: string,
  writers: readonly string[],
  indexKeys: readonly string[] = [],
): string[] {
  return [
    ...[keys.links, keys.entries, keys.counts, keys.repeats, keys.removedUpTo, list],
    ...[keys.rows, keys.searches, keys.words, ...writers.map(keys.removed), ...indexKeys],
  ]
}

/** @param command reads the numbers of entries from a place on; `undefined` at the end */
async function writersIn(
  redis: RedisConnection,
  keys: RedisKeys,
  command: (start: number) => readonly string[] | undefined,
): Promise<string[]> {
  const writers = new Set<string>()
  for (let start = 0; ; start += ENTRIES_PER_SCRIPT) {
    const next = command(start)
    const numbers = next
      ? parseList(await redis.send(...next)).map((each) => parseText(each) ?? '')
      : []
    if (numbers.length === 0) return [...writers]
    const links = parseList(await redis.send('HMGET', keys.links, ...numbers))
    for (const [index, reply] of links.entries()) {
      const link = parseText(reply)
      if (link === undefined) {
        throw new Error(`entry ${numbers[index]} of the audit in Redis has no link`)
      }
      writers.add(linkParts(link).writer)
    }
  }
}

/** How many bytes of a bitmap one script reads: eight times as many entries. */
const BITMAP_BYTES_PER_SCRIPT = 65_536

export async function removedFrom(redis: RedisConnection, keys: RedisKeys): Promise<RemovedFrom[]> {
  const fields = parseList(await redis.run(HASH_SCRIPT, [keys.removedUpTo], [])).map(parseText)
  const removed: RemovedFrom[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [writer = '', upTo] = [fields[at], parseNumber(fields[at + 1])]
    removed.push({ writer, upTo, except: await keptUpTo(redis, keys.removed(writer), upTo) })
  }
  return removed
}

/** The places of the bits that are not set, from 1. */
async function keptUpTo(redis: RedisConnection, bitmap: string, upTo: number): Promise<number[]> {
  const kept: number[] = []
  for (let start = 0; start * 8 <= upTo; start += BITMAP_BYTES_PER_SCRIPT) {
    const range = [start, start + BITMAP_BYTES_PER_SCRIPT - 1].map(String)
    const bytes = Buffer.from(parseText(await redis.run(BITS_SCRIPT, [bitmap], range)) ?? '', 'hex')
    for (let index = 0; index < BITMAP_BYTES_PER_SCRIPT; index += 1) {
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
