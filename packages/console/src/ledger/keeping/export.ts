import {
  asciiJson,
  decodeEntry,
  isAlarmOpen,
  outcomeOf,
} from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../filters.ts'
import { rowPages } from '../readable.ts'
import type { AuditStore, StoredEntry } from '../store.ts'
import { csvHead, csvLine, csvTime } from './csv.ts'

/** The number of entries that are read at once. */
const ENTRIES_PER_READ = 1000

export interface ExportedRows {
  readonly filter: RowFilter
  /** For outcomes, in milliseconds since the epoch. */
  readonly now: number
}

/**
 * The rows that match, newest first, as CSV (RFC 4180) in UTF-8. It begins with a byte order mark,
 * without which Excel takes UTF-8 for another encoding. Times are in UTC, as ISO 8601. What people
 * wrote cannot be a formula: see `textCell`.
 */
export async function* exportCsv(
  store: AuditStore,
  { filter, now }: ExportedRows,
): AsyncGenerator<string> {
  await store.assertSchema()
  yield csvHead(COLUMNS.map(nameOf))
  for await (const { rows } of rowPages(store, filter, now)) {
    const lines = rows.map((row) =>
      cellsOf({ ...row, outcome: outcomeOf(row, now), isAlarmOpen: isAlarmOpen(row) }),
    )
    yield lines.map(csvLine).join('')
  }
}

/**
 * Lines of JSON, each with all `entries` of its row or permit at its end: they are read by the page, whatever row
 * they are of.
 *
 * @param lines the other members of each line, by the id of its row or permit
 */
export async function* linesWithEntries(
  store: AuditStore,
  lines: ReadonlyMap<string, object>,
): AsyncGenerator<string> {
  const left = [...lines]
  let entries: object[] = []
  function nextLine(): string {
    const [, line] = left.shift() ?? []
    const text = `${asciiJson({ ...line, entries })}\n`
    entries = []
    return text
  }
  for await (const entry of readTimelines(store, [...lines.keys()])) {
    while (left.length > 0 && left[0]?.[0] !== entry.row) yield nextLine()
    entries.push(entryOf(entry))
  }
  while (left.length > 0) yield nextLine()
}

/** The entries of rows, one row after the other: as many statements as there are pages of entries. */
export async function* readTimelines(
  store: AuditStore,
  rows: readonly string[],
): AsyncGenerator<StoredEntry> {
  let [left, after] = [rows, 0]
  while (left.length > 0) {
    const page: readonly StoredEntry[] = await store.timelines(left, {
      after,
      limit: ENTRIES_PER_READ,
    })
    yield* page
    const last = page.at(-1)
    if (last?.row === undefined || page.length < ENTRIES_PER_READ) return
    left = left.slice(left.indexOf(last.row))
    after = last.number
  }
}

/** An entry that was removed, or was written by a newer version, has only its number and digest. */
function entryOf({ text, number, digest }: StoredEntry): object {
  return { ...(text === undefined ? undefined : decodeEntry(text)), number, digest }
}

/** The members of a row that the file has, in its order. */
const COLUMNS = [
  'id',
  'at',
  'lastAt',
  'operator.id',
  'operator.name',
  'operator.email',
  'software',
  'customer.id',
  'customer.name',
  'customer.email',
  'ticket',
  'reason',
  'continues',
  'outcome',
  'askedAt',
  'startedAt',
  'expiresAt',
  'end.at',
  'end.by',
  'end.name',
  'end.reason',
  'refusal.at',
  'refusal.error',
  'refusal.reason',
  'reads',
  'changes',
  'refused',
  'failed',
  'denied',
  'replays',
  'alarm.at',
  'alarm.count',
  'alarm.kinds',
  'isAlarmOpen',
  'acknowledged.at',
  'acknowledged.by',
  'acknowledged.note',
  'hold.at',
  'hold.by',
  'hold.isHeld',
  'hold.note',
  'objection.at',
  'objection.note',
  'application',
  'requestedBy',
  'resource',
  'scope',
  'jti',
]

/** The name of a column is that of its member: `operator_id`, `started_at`. */
function nameOf(column: string): string {
  return column.replace('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function cellsOf(row: object): (string | undefined)[] {
  return COLUMNS.map((column) => {
    const [member = '', part] = column.split('.')
    const whole: unknown = Reflect.get(row, member)
    const value = part === undefined ? whole : Object(whole)[part]
    return /(?:^|\.)at$|At$/.test(column) ? csvTime(value) : [value].flat().join(' ')
  })
}
