import type { AuditRow, Outcome } from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../store.ts'
import { comparePositions, type RowPosition } from '../cursor.ts'
import { endOfWords, MAX_ROWS_BY_WORD, matcher, searchable, wordsOf } from '../filter.ts'
import { parseRow } from '../row-columns.ts'
import { parseList, parseNumber, parseText, type RedisConnection } from './connection.ts'
import type { RedisKeys, RowIndex } from './keys.ts'
import { FIND_SCRIPT, SEARCH_SCRIPT } from './scripts.ts'

/**
 * How many rows one script looks at: Redis serves other commands between two of them. It takes a few
 * milliseconds. Lua takes no list of more than 8000 as arguments.
 */
const IDS_PER_SCRIPT = 4000

/** Where a search begins and ends. */
export interface Range {
  /** Rows that are older. */
  readonly before?: RowPosition | undefined
  /** Rows that are newer. */
  readonly after?: RowPosition | undefined
  /** How many rows to find. */
  readonly limit: number
}

/** The rows that match, newest first. */
export async function findRows(
  redis: RedisConnection,
  keys: RedisKeys,
  filter: RowFilter,
  range: Range,
  now: number,
): Promise<AuditRow[]> {
  const few =
    (await findDue(redis, keys, filter, range, now)) ??
    (await findLive(redis, keys, filter, range, now))
  return few ?? rowsAt(redis, keys, await findIds(redis, keys, filter, range, now))
}

/** The ids of rows that match, newest first. */
async function findIds(
  redis: RedisConnection,
  keys: RedisKeys,
  filter: RowFilter,
  range: Range,
  now: number,
): Promise<string[]> {
  const { before, after, limit } = range
  const { to } = filter
  const words = filter.text === undefined ? undefined : wordsOf(filter.text)
  const rarest = words && (await rarestRange(redis, keys, words))
  if (rarest?.count === 0) return []
  const from = Math.max(filter.from ?? 0, after?.at ?? 0)
  // Of two upper ends, the lower one is in force.
  const isAfterEnd = before !== undefined && to !== undefined && before.at >= to
  const top =
    before && !isAfterEnd ? [before.at, before.id] : [to === undefined ? '+inf' : `(${to}`, '']
  const bottom = [from, after && after.at === from ? after.id : '']
  const sets = await smallestFirst(redis, indexesOf(filter).map(keys.rowsBy), from, to)
  const time = timeOf(filter.outcome)
  const text = (words ?? []).map((word) => ` ${word}`).join('')
  if (rarest && rarest.count <= MAX_ROWS_BY_WORD) {
    const searched = [keys.words, keys.searches, keys.expires, ...sets]
    const args = [...rarest.range, text, time, String(now)]
    return newestOf(parseList(await redis.run(SEARCH_SCRIPT, searched, args)), filter, range)
  }
  const scripted = [sets[0] ?? keys.rowsBy('all'), keys.searches, keys.expires, ...sets.slice(1)]

  const found: string[] = []
  for (let [score, id] = top; ; ) {
    const wanted = limit - found.length
    const args = [score, id, ...bottom, IDS_PER_SCRIPT, wanted, text, time, now].map(String)
    const [isLast, ...rest] = parseList(await redis.run(FIND_SCRIPT, scripted, args))
    const [lastScore = '', lastId = '', ...ids] = rest.map((each) => parseText(each) ?? '')
    found.push(...ids)
    if (parseNumber(isLast) === 1 || found.length >= limit) return found
    ;[score, id] = [lastScore, lastId]
  }
}

/** Where the words with the fewest rows begin and end, of those that begin with a word of a search. */
async function rarestRange(redis: RedisConnection, keys: RedisKeys, words: readonly string[]) {
  const counted = await Promise.all(
    words.map(async (word) => {
      const range = [`[${word}`, `(${endOfWords(word)}`]
      return { range, count: parseNumber(await redis.send('ZLEXCOUNT', keys.words, ...range)) }
    }),
  )
  return counted.toSorted((a, b) => a.count - b.count)[0] ?? { range: [], count: 0 }
}

/** @param found id and score of each row, one after the other */
function newestOf(
  found: readonly unknown[],
  { from = 0, to = Number.POSITIVE_INFINITY }: RowFilter,
  { before, after, limit }: Range,
): string[] {
  return found
    .flatMap((id, index) =>
      index % 2 === 0 ? { id: parseText(id) ?? '', at: parseNumber(found[index + 1]) } : [],
    )
    .filter((row) => row.at >= from && row.at < to)
    .filter((row) => !before || comparePositions(row, before) < 0)
    .filter((row) => !after || comparePositions(row, after) > 0)
    .toSorted((a, b) => comparePositions(b, a))
    .slice(0, limit)
    .map(({ id }) => id)
}

/**
 * The rows that match of those that have not ended and expire later than now; `undefined` where these
 * are so many that it is better to look at rows by their time.
 */
async function findLive(
  redis: RedisConnection,
  keys: RedisKeys,
  filter: RowFilter,
  range: Range,
  now: number,
): Promise<AuditRow[] | undefined> {
  if (timeOf(filter.outcome) !== 'live') return undefined
  const scores = [`(${now}`, '+inf', 'LIMIT', '0', String(IDS_PER_SCRIPT + 1)]
  const ids = parseList(await redis.send('ZRANGEBYSCORE', keys.expires, ...scores)).map(String)
  if (ids.length > IDS_PER_SCRIPT) return undefined
  return matchingOf(await rowsAt(redis, keys, ids), filter, range, now)
}

/** The rows that match of those whose notice is due: they are few, where a process tells customers. */
async function findDue(
  redis: RedisConnection,
  keys: RedisKeys,
  filter: RowFilter,
  range: Range,
  now: number,
): Promise<AuditRow[] | undefined> {
  const { noticeDueBefore } = filter
  if (noticeDueBefore === undefined) return undefined
  const scores = ['-inf', `(${noticeDueBefore}`]
  const ids = parseList(await redis.send('ZRANGEBYSCORE', keys.noticesDue, ...scores)).map(String)
  const rows: AuditRow[] = []
  for (let start = 0; start < ids.length; start += IDS_PER_SCRIPT) {
    rows.push(...(await rowsAt(redis, keys, ids.slice(start, start + IDS_PER_SCRIPT))))
  }
  return matchingOf(rows, filter, range, now)
}

function matchingOf(
  rows: readonly AuditRow[],
  filter: RowFilter,
  { before, after, limit }: Range,
  now: number,
): AuditRow[] {
  return rows
    .filter(matcher(filter, now))
    .filter((row) => !before || comparePositions(row, before) < 0)
    .filter((row) => !after || comparePositions(row, after) > 0)
    .toSorted((a, b) => comparePositions(b, a))
    .slice(0, limit)
}

/** The rows with these ids. One that was removed since its id was found is left out. */
async function rowsAt(
  redis: RedisConnection,
  keys: RedisKeys,
  ids: readonly string[],
): Promise<AuditRow[]> {
  if (ids.length === 0) return []
  const texts = parseList(await redis.send('HMGET', keys.rows, ...ids))
  return texts.flatMap((reply) => {
    const text = parseText(reply)
    return text === undefined ? [] : parseRow(text)
  })
}

/** The rows that match are in all of them. */
function indexesOf({ operator, customer, ticket, outcome, alarm, held }: RowFilter): RowIndex[] {
  const indexes: (RowIndex | false)[] = [
    operator !== undefined && `operator ${operator}`,
    customer !== undefined && `customer ${customer}`,
    ticket !== undefined && `ticket ${searchable(ticket)}`,
    outcome !== undefined && `phase ${FIND_PHASES[outcome] ?? outcome}`,
    alarm === 'any' && 'alarm',
    alarm === 'open' && 'open alarm',
    alarm === 'urgent' && 'urgent alarm',
    held === true && 'held',
  ]
  const given = indexes.filter((index) => index !== false)
  return given.length === 0 ? ['all'] : given
}

const FIND_PHASES: Partial<Record<Outcome, Outcome>> = { expired: 'running', unused: 'waiting' }

function timeOf(outcome: Outcome | undefined): 'live' | 'over' | '' {
  if (outcome === 'running' || outcome === 'waiting') return 'live'
  return outcome === 'expired' || outcome === 'unused' ? 'over' : ''
}

/** Fewer rows are looked at where the smallest set leads. */
async function smallestFirst(
  redis: RedisConnection,
  sets: readonly string[],
  from: number,
  to: number | undefined,
): Promise<string[]> {
  if (sets.length < 2) return [...sets]
  const end = to === undefined ? '+inf' : `(${to}`
  const sizes = await Promise.all(
    sets.map(async (key) => {
      const size = parseNumber(await redis.send('ZCOUNT', key, String(from), end))
      return { key, size }
    }),
  )
  return sizes.toSorted((a, b) => a.size - b.size).map(({ key }) => key)
}
