import {
  ALL_OUTCOMES,
  type AuditRow,
  noticeDueAt,
  type Outcome,
  openAlarmOf,
  type StoredPermitState,
} from 'oidc-provider-impersonation-verify/format'
import { searchable } from '../filter.ts'

/**
 * The keys of the audit. The braces keep all of them on one node of a cluster: a batch is written in
 * one step, to several keys.
 */
export interface RedisKeys {
  /** Of each writer, the last batch and the last link: `number sequence hash`. A hash. */
  readonly chains: string
  /** The number of the last entry. Entries have the numbers from 1, without a gap. */
  readonly newest: string
  /** By number of the entry: `sequence hash digest writer`. It stays for ever. A hash. */
  readonly links: string
  /** By number: row and repeat key as JSON, a line feed, and the text. A hash. */
  readonly entries: string
  /** By number, of entries that can be repeated: `count lastTime`. A hash. */
  readonly counts: string
  /** The number of the entry with a repeat key. A hash. */
  readonly repeats: string
  /** The entries without a row, by their last time. A sorted set, as the three below. */
  readonly rowless: string
  /** Rows as JSON. A hash. */
  readonly rows: string
  /** What a search finds: see `searchTextOf`. A hash. */
  readonly searches: string
  /** The same by word: `word id`. A sorted set in the order of bytes. */
  readonly words: string
  /** Rows that may be removed, by their last time. */
  readonly last: string
  /** Rows that have not ended, by the time when they expire. */
  readonly expires: string
  /** Rows whose customer is to be told something, by the time when it is due. */
  readonly noticesDue: string
  /** Of each writer, the last sequence that was removed. A hash. */
  readonly removedUpTo: string
  /** Permits as JSON. A hash. */
  readonly permits: string
  /** Permits that have a time when they are over, by it. A sorted set. */
  readonly permitsOver: string
  /** Signed checkpoints by time. A sorted set. */
  readonly checkpoints: string
  /** The numbers of the entries of a row. A sorted set. */
  timeline(row: string): string
  /** One bit for each sequence of a writer: whether it was removed. */
  removed(writer: string): string
  /** Rows by `at`. A sorted set. */
  rowsBy(index: RowIndex): string
  /** Permits by `at`. A sorted set. */
  permitsBy(index: PermitIndex): string
  /** The permits of a slot, in the order in which they were stored. A sorted set. */
  permitsOf(slot: string): string
}

/** Permits that have something in common. */
export type PermitIndex =
  | 'all'
  | 'notice'
  | 'review'
  | `customer ${string}`
  | `operator ${string}`
  | `state ${StoredPermitState}`

/** Rows that have something in common. `phase` is what is known of the outcome without the time. */
export type RowIndex =
  | 'all'
  | 'alarm'
  | 'held'
  | 'open alarm'
  | 'urgent alarm'
  | `customer ${string}`
  | `operator ${string}`
  | `phase ${Outcome}`
  | `ticket ${string}`

export function redisKeys(prefix: string): RedisKeys {
  const key = (name: string) => `{${prefix}}:${name}`
  return {
    chains: key('chains'),
    newest: key('newest'),
    links: key('links'),
    entries: key('entries'),
    counts: key('counts'),
    repeats: key('repeats'),
    rowless: key('rowless'),
    rows: key('rows'),
    searches: key('searches'),
    words: key('words'),
    last: key('last'),
    expires: key('expires'),
    noticesDue: key('notices-due'),
    removedUpTo: key('removed-up-to'),
    permits: key('permits'),
    permitsOver: key('permits-over'),
    checkpoints: key('checkpoints'),
    timeline: (row) => key(`timeline:${row}`),
    removed: (writer) => key(`removed:${writer}`),
    rowsBy: (index) => key(`rows:${index}`),
    permitsBy: (index) => key(`permits:${index}`),
    permitsOf: (slot) => key(`permits-of:${slot}`),
  }
}

/** The sorted sets that a row is in, and its score in each. */
export function setScores(keys: RedisKeys, row: AuditRow | undefined): Map<string, number> {
  const scores = new Map<string, number>()
  if (!row) return scores
  for (const index of indexesOf(row)) scores.set(keys.rowsBy(index), row.at)
  const phase = phaseOf(row)
  if (row.expiresAt !== undefined && (phase === 'running' || phase === 'waiting')) {
    scores.set(keys.expires, row.expiresAt)
  }
  const dueAt = noticeDueAt(row)
  if (dueAt !== undefined) scores.set(keys.noticesDue, dueAt)
  if (!row.hold?.isHeld) scores.set(keys.last, row.lastAt)
  return scores
}

/** The sorted sets that any row may be in: the others are those of one customer, operator or ticket. */
export function fixedSets(keys: RedisKeys): string[] {
  const names: RowIndex[] = ['all', 'alarm', 'held', 'open alarm', 'urgent alarm']
  const phases = ALL_OUTCOMES.map((outcome): RowIndex => `phase ${outcome}`)
  return [...[...names, ...phases].map(keys.rowsBy), keys.expires, keys.noticesDue, keys.last]
}

function indexesOf(row: AuditRow): RowIndex[] {
  const { customer, operator, ticket, alarm, hold } = row
  const open = openAlarmOf(row)
  const indexes: (RowIndex | false)[] = [
    'all',
    `phase ${phaseOf(row)}`,
    customer !== undefined && `customer ${customer.id}`,
    operator !== undefined && `operator ${operator.id}`,
    ticket !== undefined && `ticket ${searchable(ticket)}`,
    alarm !== undefined && 'alarm',
    open !== undefined && 'open alarm',
    open === 'urgent' && 'urgent alarm',
    hold?.isHeld === true && 'held',
  ]
  return indexes.filter((index) => index !== false)
}

/** The outcome as if it could not expire: `running` is also what has expired, `waiting` unused. */
function phaseOf(row: AuditRow): Outcome {
  if (row.end) return row.end.cause
  if (row.startedAt !== undefined) return 'running'
  return row.askedAt === undefined ? 'refused' : 'waiting'
}
