import { setTimeout as wait } from 'node:timers/promises'
import {
  type AuditRow,
  fold,
  foldRepetition,
  type Happening,
} from 'oidc-provider-impersonation-verify/format'
import { type Batch, isKeptForEver } from '../../batch.ts'
import { assertMissing } from '../../missing.ts'
import { assertTimes, foldingOnly, isUnstorable } from '../../unstorable.ts'
import { earlierKeysOf, withoutGone } from '../batch-columns.ts'
import { searchTextOf } from '../filter.ts'
import { parseRow } from '../row-columns.ts'
import { parseList, parseText, type RedisConnection } from './connection.ts'
import { type RedisKeys, setScores } from './keys.ts'
import { APPEND_SCRIPT } from './scripts.ts'

/** A row as it was read, and as the batch makes it. */
interface Change {
  readonly read: string | undefined
  readonly before: AuditRow | undefined
  after: AuditRow | undefined
}

/** How often rows are read again because another process changed them. */
const MAX_ATTEMPTS = 50

/**
 * Reads the rows that the batch concerns, folds it into them, and writes all in one step.
 *
 * @returns the repeat keys whose entry was removed
 */
export async function append(
  redis: RedisConnection,
  keys: RedisKeys,
  given: Batch,
): Promise<readonly string[]> {
  assertTimes(given)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const gone = await missingKeys(redis, keys, earlierKeysOf(given))
    const batch = withoutGone(given, gone)
    const changes = await readChanges(redis, keys, batch).catch(async (error: unknown) => {
      // It may not fit because it is there: what was written before is written again.
      if (isUnstorable(error) && (await isWritten(redis, keys, batch))) return undefined
      throw error
    })
    if (!changes) return gone
    const answer = parseText(await redis.run(APPEND_SCRIPT, ...commandOf(keys, batch, changes)))
    if (answer === 'done') return gone
    if (answer !== 'again') throw new Error('Redis answered an append with something unknown')
    // Several processes that read at the same moment again would meet again.
    await wait(Math.random() * attempt)
  }
  throw new Error('other processes change the same rows of the audit all the time')
}

/** Those of the repeat keys that no entry has. */
async function missingKeys(
  redis: RedisConnection,
  keys: RedisKeys,
  repeatKeys: readonly string[],
): Promise<string[]> {
  if (repeatKeys.length === 0) return []
  const numbers = parseList(await redis.send('HMGET', keys.repeats, ...repeatKeys))
  return repeatKeys.filter((_, index) => parseText(numbers[index]) === undefined)
}

/** After the rows were read: a batch is written in one step with its rows. */
async function isWritten(
  redis: RedisConnection,
  keys: RedisKeys,
  { writer, number }: Batch,
): Promise<boolean> {
  const [chain] = parseList(await redis.send('HMGET', keys.chains, writer))
  return Number((parseText(chain) ?? '0').split(' ')[0]) >= number
}

async function readChanges(redis: RedisConnection, keys: RedisKeys, batch: Batch) {
  const happenings: { row: string | undefined; happening: Happening; isNew: boolean }[] = [
    ...batch.records.map(({ row, entry }) => {
      return { row, isNew: true, happening: { entry, count: 1, lastTime: entry.time } }
    }),
    ...batch.repetitions.map(({ row, ...happening }) => ({ row, isNew: false, happening })),
  ]
  const ids = [...new Set(happenings.flatMap(({ row }) => row ?? []))]
  const texts = ids.length === 0 ? [] : parseList(await redis.send('HMGET', keys.rows, ...ids))
  const changes = new Map<string, Change>()
  foldingOnly(() => {
    for (const [index, id] of ids.entries()) {
      const read = parseText(texts[index])
      const before = read === undefined ? undefined : parseRow(read)
      changes.set(id, { read, before, after: before })
    }
    for (const { row, happening, isNew } of happenings) {
      const change = row === undefined ? undefined : changes.get(row)
      if (row === undefined || !change) continue
      if (isNew) {
        assertMissing(change.after, happening.entry)
        change.after = fold(change.after, row, happening)
      } else change.after &&= foldRepetition(change.after, happening)
    }
  })
  return changes
}

function commandOf(
  keys: RedisKeys,
  batch: Batch,
  changes: ReadonlyMap<string, Change>,
): [keys: string[], args: string[]] {
  const { writer, number, records, repetitions } = batch
  const sets = new KeyNumbers([
    ...[keys.chains, keys.newest, keys.links, keys.entries, keys.counts],
    ...[keys.repeats, keys.rowless, keys.rows, keys.searches, keys.words],
  ])
  const head = records.at(-1)
  const args: (string | number)[] = [writer, number, head?.sequence ?? '', head?.hash ?? '']
  args.push(changes.size)
  for (const [id, { read = '' }] of changes) args.push(id, read)
  const earlier = earlierKeysOf(batch)
  args.push(earlier.length, ...earlier)
  const changed = [...changes].filter(([, { after }]) => after)
  args.push(changed.length)
  for (const [id, { before, after }] of changed) {
    if (!after) continue
    const moves = movesOf(keys, before, after)
    args.push(id, JSON.stringify(after), searchTextOf(after), moves.length)
    for (const [key, score] of moves) args.push(sets.numberOf(key), score)
  }
  args.push(...recordArguments(keys, sets, batch))
  args.push(repetitions.length)
  for (const { repeatKey, row, count, lastTime } of repetitions) {
    args.push(repeatKey, count, lastTime, row === undefined ? 1 : 0)
  }
  return [sets.keys, args.map(String)]
}

/** The list of entries: see `APPEND_SCRIPT`. */
export function recordArguments(
  keys: RedisKeys,
  sets: KeyNumbers,
  { writer, records }: Batch,
): (string | number)[] {
  const args: (string | number)[] = [records.length]
  for (const record of records) {
    const { sequence, text, digest, hash, row, repeatKey, entry } = record
    args.push(`${sequence} ${hash} ${digest} ${writer}`)
    args.push(`${JSON.stringify([row ?? null, repeatKey ?? null])}\n${text}`, repeatKey ?? '')
    const set = row === undefined ? keys.rowless : keys.timeline(row)
    args.push(
      isKeptForEver(record) ? '' : sets.numberOf(set),
      row === undefined ? entry.time : '',
      entry.time,
    )
  }
  return args
}

/** The sorted sets that a row leaves (''), or in which its score is another. */
function movesOf(keys: RedisKeys, before: AuditRow | undefined, after: AuditRow) {
  const [left, scores] = [setScores(keys, before), setScores(keys, after)]
  const moves: [key: string, score: number | ''][] = []
  for (const [key, score] of scores) {
    if (left.get(key) !== score) moves.push([key, score])
    left.delete(key)
  }
  for (const key of left.keys()) moves.push([key, ''])
  return moves
}

/** The keys of a script, each once, and where each stands. */
export class KeyNumbers {
  readonly keys: string[]
  readonly #numbers = new Map<string, number>()

  constructor(first: readonly string[]) {
    this.keys = [...first]
    for (const [index, key] of first.entries()) this.#numbers.set(key, index + 1)
  }

  /** From 1, as Lua counts. */
  numberOf(key: string): number {
    const number = this.#numbers.get(key) ?? this.keys.push(key)
    this.#numbers.set(key, number)
    return number
  }
}
