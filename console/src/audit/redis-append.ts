import { setTimeout as wait } from 'node:timers/promises'
import { searchTextOf } from './filter.ts'
import { fold, type Happening } from './fold.ts'
import { listOf, type RedisConnection, textOf } from './redis-connection.ts'
import { placesOf, type RedisKeys } from './redis-keys.ts'
import { APPEND } from './redis-scripts.ts'
import type { AuditRow } from './row.ts'
import { rowOf } from './row-columns.ts'
import type { Batch } from './store.ts'

/** A row as it was read, and as the batch makes it. */
interface Change {
  readonly read: string | undefined
  readonly before: AuditRow | undefined
  after: AuditRow | undefined
}

/** How often rows are read again because another process changed them. */
const ATTEMPTS = 50

/** Reads the rows that the batch concerns, folds it into them, and writes all in one step. */
export async function append(redis: RedisConnection, keys: RedisKeys, batch: Batch): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const changes = await changesOf(redis, keys, batch)
    const answer = textOf(await redis.run(APPEND, ...commandOf(keys, batch, changes)))
    if (answer === 'done') return
    if (answer !== 'again') throw new Error('Redis answered an append with something unknown')
    // Several processes that read at the same moment again would meet again.
    await wait(Math.random() * attempt)
  }
  throw new Error('other processes change the same rows of the audit all the time')
}

async function changesOf(redis: RedisConnection, keys: RedisKeys, batch: Batch) {
  const happenings: { row: string | undefined; happening: Happening }[] = [
    ...batch.records.map(({ row, entry }) => {
      return { row, happening: { entry, count: 1, lastTime: entry.time } }
    }),
    ...batch.repetitions.map(({ row, ...happening }) => ({ row, happening })),
  ]
  const ids = [...new Set(happenings.flatMap(({ row }) => row ?? []))]
  const texts = ids.length === 0 ? [] : listOf(await redis.send('HMGET', keys.rows, ...ids))
  const changes = new Map<string, Change>()
  for (const [index, id] of ids.entries()) {
    const read = textOf(texts[index])
    const before = read === undefined ? undefined : rowOf(read)
    changes.set(id, { read, before, after: before })
  }
  for (const { row, happening } of happenings) {
    const change = row === undefined ? undefined : changes.get(row)
    if (row !== undefined && change) change.after = fold(change.after, row, happening)
  }
  return changes
}

function commandOf(
  keys: RedisKeys,
  { writer, number, records, repetitions }: Batch,
  changes: ReadonlyMap<string, Change>,
): [keys: string[], args: string[]] {
  const sets = new Places([
    ...[keys.chains, keys.newest, keys.links, keys.entries, keys.counts],
    ...[keys.repeats, keys.rowless, keys.rows, keys.searches],
  ])
  const head = records.at(-1)
  const args: (string | number)[] = [writer, number, head?.sequence ?? '', head?.hash ?? '']
  args.push(changes.size)
  for (const [id, { read = '' }] of changes) args.push(id, read)
  args.push(changes.size)
  for (const [id, { before, after }] of changes) {
    if (!after) continue
    const moves = movesOf(keys, before, after)
    args.push(id, JSON.stringify(after), searchTextOf(after), moves.length)
    for (const [key, score] of moves) args.push(sets.placeOf(key), score)
  }
  args.push(records.length)
  for (const { sequence, text, digest, hash, row, repeatKey, entry } of records) {
    args.push(`${sequence} ${hash} ${digest} ${writer}`)
    args.push(`${JSON.stringify([row ?? null, repeatKey ?? null])}\n${text}`, repeatKey ?? '')
    args.push(sets.placeOf(row === undefined ? keys.rowless : keys.timeline(row)))
    args.push(row === undefined ? entry.time : '', entry.time)
  }
  args.push(repetitions.length)
  for (const { repeatKey, row, count, lastTime } of repetitions) {
    args.push(repeatKey, count, lastTime, row === undefined ? 1 : 0)
  }
  return [sets.keys, args.map(String)]
}

/** The sorted sets that a row leaves (''), or in which its score is another. */
function movesOf(keys: RedisKeys, before: AuditRow | undefined, after: AuditRow) {
  const [left, places] = [placesOf(keys, before), placesOf(keys, after)]
  const moves: [key: string, score: number | ''][] = []
  for (const [key, score] of places) {
    if (left.get(key) !== score) moves.push([key, score])
    left.delete(key)
  }
  for (const key of left.keys()) moves.push([key, ''])
  return moves
}

/** The keys of a script, each once, and where each stands. */
export class Places {
  readonly keys: string[]
  readonly #places = new Map<string, number>()

  constructor(first: readonly string[]) {
    this.keys = [...first]
    for (const [index, key] of first.entries()) this.#places.set(key, index + 1)
  }

  /** From 1, as Lua counts. */
  placeOf(key: string): number {
    const place = this.#places.get(key) ?? this.keys.push(key)
    this.#places.set(key, place)
    return place
  }
}
