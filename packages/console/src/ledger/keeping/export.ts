import {
  type AuditRow,
  asciiJson,
  decodeEntry,
  isAlarmOpen,
  outcomeOf,
} from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../filters.ts'
import { rowPages } from '../readable.ts'
import type { AuditStore, StoredEntry } from '../store.ts'
import { csvHead, csvLine, csvTime } from './csv.ts'

/** How many entries are read at once. */
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
export async function* exportCsv(store: AuditStore, rows: ExportedRows): AsyncGenerator<string> {
  yield csvHead(Object.keys(csvColumns(NO_ROW, 0)))
  for await (const page of readPages(store, rows)) {
    yield page.map((row) => csvLine(Object.values(csvColumns(row, rows.now)))).join('')
  }
}

/**
 * Lines of JSON, each with all `entries` of its row or permit at its end: they are read by the page, whatever row
 * they are of.
 *
 * @param lines what a line has besides, by the id of its row or permit
 */
export async function* linesWithEntries(
  store: AuditStore,
  lines: ReadonlyMap<string, object>,
): AsyncGenerator<string> {
  const left = [...lines]
  let entries: object[] = []
  /** The lines before that of this row, or all. */
  const textBefore = (row: string | undefined) => {
    let text = ''
    for (let [line] = left; line && line[0] !== row; [line] = left) {
      text += `${asciiJson({ ...line[1], entries })}\n`
      entries = []
      left.shift()
    }
    return text
  }
  for await (const page of readTimelines(store, [...lines.keys()])) {
    let text = ''
    for (const entry of page) {
      text += textBefore(entry.row)
      entries.push(entryOf(entry))
    }
    yield text
  }
  yield textBefore(undefined)
}

/** The entries of rows, one row after the other: as many statements as there are pages of entries. */
export async function* readTimelines(
  store: AuditStore,
  rows: readonly string[],
): AsyncGenerator<readonly StoredEntry[]> {
  let [left, after] = [rows, 0]
  while (left.length > 0) {
    const page: readonly StoredEntry[] = await store.timelines(left, {
      after,
      limit: ENTRIES_PER_READ,
    })
    yield page
    const last = page.at(-1)
    if (last?.row === undefined || page.length < ENTRIES_PER_READ) return
    left = left.slice(left.indexOf(last.row))
    after = last.number
  }
}

async function* readPages(store: AuditStore, { filter, now }: ExportedRows) {
  await store.assertSchema()
  for await (const { rows } of rowPages(store, filter, now)) yield rows
}

/** What was removed, or was written by a newer version, has only its number and digest. */
function entryOf({ text, number, digest }: StoredEntry): object {
  return { ...(text === undefined ? undefined : decodeEntry(text)), number, digest }
}

const NO_ROW: AuditRow = {
  id: '',
  at: 0,
  lastAt: 0,
  reads: 0,
  changes: 0,
  refused: 0,
  failed: 0,
  denied: 0,
  replays: 0,
}

/** In the order of the file. */
function csvColumns(row: AuditRow, now: number): Record<string, string | number | undefined> {
  const { customer, operator, end, refusal, alarm, acknowledged, hold, objection } = row
  return {
    id: row.id,
    first_event: csvTime(row.at),
    last_event: csvTime(row.lastAt),
    operator_id: operator?.id,
    operator_name: operator?.name,
    operator_email: operator?.email,
    software: row.software,
    customer_id: customer?.id,
    customer_name: customer?.name,
    customer_email: customer?.email,
    ticket: row.ticket,
    reason: row.reason,
    continues: row.continues,
    outcome: outcomeOf(row, now),
    asked: csvTime(row.askedAt),
    started: csvTime(row.startedAt),
    expires: csvTime(row.expiresAt),
    ended: csvTime(end?.at),
    ended_by: end?.by,
    ended_by_name: end?.name,
    end_reason: end?.reason,
    refused_at_start: csvTime(refusal?.at),
    refusal_error: refusal?.error,
    refusal_reason: refusal?.reason,
    reads: row.reads,
    changes: row.changes,
    refused: row.refused,
    failed: row.failed,
    denied: row.denied,
    replays: row.replays,
    alarms: alarm?.count ?? 0,
    alarm_kinds: alarm?.kinds.join(' '),
    last_alarm: csvTime(alarm?.at),
    alarm_open: isAlarmOpen(row) ? 'yes' : 'no',
    acknowledged: csvTime(acknowledged?.at),
    acknowledged_by: acknowledged?.by,
    acknowledgement: acknowledged?.note,
    on_hold: hold?.isHeld ? 'yes' : 'no',
    hold_changed: csvTime(hold?.at),
    hold_changed_by: hold?.by,
    hold_note: hold?.note,
    objected: csvTime(objection?.at),
    objection: objection?.note,
    application: row.application,
    requested_by: row.requestedBy,
    resource: row.resource,
    scope: row.scope,
    jti: row.jti,
  }
}
