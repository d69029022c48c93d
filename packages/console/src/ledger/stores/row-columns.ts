import {
  indexable,
  type StoredRow,
  searchable,
  storedRowOf,
} from 'oidc-provider-impersonation-verify/chain'
import type { AuditRow, Outcome } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import type { RowFilter } from '../filters.ts'
import type { FiledRow } from '../store.ts'
import { idCursor } from './cursor.ts'
import { namedEntriesIn, type ResultRow, textIn } from './stored-columns.ts'

/** A row as the tables of SQL databases keep it: all other columns are members of `data`. */
export interface RowColumns {
  readonly id: string
  /** JSON. */
  readonly data: string
}

export function columnsOf(row: AuditRow): RowColumns {
  return { id: row.id, data: JSON.stringify(storedRowOf(row)) }
}

/** Whether a text can be the id of a row. PostgreSQL refuses to compare with some that cannot. */
export function isRowId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id)
}

/** @throws Error when the text is not that of a row. */
export function parseRow(text: unknown): AuditRow {
  const { found: _, ...row } = parseStoredRow(text)
  return row
}

function parseStoredRow(text: unknown): StoredRow {
  const row: unknown = typeof text === 'string' ? JSON.parse(text) : undefined
  if (!isRow(row)) throw new Error('the storage of the audit has a row that cannot be read')
  // PostgreSQL keeps members in an order of its own.
  const { id, at, lastAt, ...others } = row
  return { id, at, lastAt, ...others }
}

/** A page of `filedRows`, of rows with their entries, read by their ids: one more than `limit`. */
export function filedPageOf(found: readonly ResultRow[], limit: number) {
  const rows = found.slice(0, limit).map((columns): FiledRow => {
    const id = textIn(columns, 'id')
    return { id, row: readableIn(columns), entries: namedEntriesIn(columns) }
  })
  const last = rows.at(-1)
  return { rows, next: found.length > limit && last ? idCursor(last.id) : undefined }
}

function readableIn({ data }: ResultRow): StoredRow | undefined {
  try {
    return parseStoredRow(data)
  } catch {
    return undefined
  }
}

const ROW = v.object({
  id: v.string(),
  ...v.entriesFromList(
    ['at', 'lastAt', 'reads', 'changes', 'refused', 'failed', 'denied', 'replays'],
    v.pipe(v.number(), v.finite()),
  ),
})

function isRow(value: unknown): value is StoredRow {
  return v.is(ROW, value)
}

/** A part of a `WHERE` clause, with `?` for each value. */
export interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

/** A condition whose rows an index has in their order. */
export interface IndexedCondition extends Condition {
  /** The first column of the index, which has one value; `undefined` where the index has these rows alone. */
  readonly column?: 'customer' | 'end_cause' | 'operator' | 'ticket'
  /** Whether few rows of a large audit have it. */
  readonly isRare: boolean
}

/** What a filter compares, beside times and words. */
export interface Comparisons {
  /** The first one is expected to have the fewest rows. */
  readonly indexed: readonly IndexedCondition[]
  /** What has to be looked at in each row. */
  readonly others: readonly Condition[]
}

/** @param now for outcomes, in milliseconds since the epoch */
export function comparisonsOf(filter: RowFilter, now: number): Comparisons {
  const {
    operator,
    customer,
    ticket,
    outcome,
    alarm,
    held,
    noticeDueBefore,
    alertDueBefore,
    unapproved,
  } = filter
  const has = (sql: string, isRare: boolean): IndexedCondition => ({ sql, values: [], isRare })
  const is = (
    column: NonNullable<IndexedCondition['column']>,
    value: string,
    isRare: boolean,
  ): IndexedCondition => ({ sql: `${column} = ?`, values: [value], column, isRare })
  const { indexed, others = [] } = outcome ? comparisonsOfOutcome(outcome, now) : {}
  return {
    indexed: [
      noticeDueBefore === undefined
        ? []
        : {
            ...has('notice_due_at IS NOT NULL AND notice_due_at < ?', true),
            values: [noticeDueBefore],
          },
      alertDueBefore === undefined
        ? []
        : {
            ...has('alert_due_at IS NOT NULL AND alert_due_at < ?', true),
            values: [alertDueBefore],
          },
      ticket === undefined ? [] : is('ticket', indexable(searchable(ticket)), true),
      customer === undefined ? [] : is('customer', indexable(customer), true),
      alarm === 'objection' ? has('objected_at IS NOT NULL', true) : [],
      held ? has('held_at IS NOT NULL', true) : [],
      unapproved ? has('unapproved', true) : [],
      alarm === 'open' ? has('open_alarm_at IS NOT NULL', true) : [],
      alarm === 'any' ? has('alarm_at IS NOT NULL', false) : [],
      operator === undefined ? [] : is('operator', indexable(operator), false),
      indexed === 'end_cause' && outcome ? is(indexed, outcome, false) : [],
      indexed && indexed !== 'end_cause' ? has(indexed, false) : [],
    ].flat(),
    others,
  }
}

/** In the same way as `outcomeOf`. */
function comparisonsOfOutcome(
  outcome: Outcome,
  now: number,
): { indexed: string; others?: readonly Condition[] } {
  const started = 'end_cause IS NULL AND started_at IS NOT NULL'
  const notStarted = 'end_cause IS NULL AND started_at IS NULL'
  const wasAsked = { sql: 'asked_at IS NOT NULL', values: [] }
  const isOver = { sql: '(expires_at IS NULL OR expires_at <= ?)', values: [now] }
  const isNotOver = { sql: 'expires_at > ?', values: [now] }
  switch (outcome) {
    case 'running':
      return { indexed: started, others: [isNotOver] }
    case 'expired':
      return { indexed: started, others: [isOver] }
    case 'waiting':
      return { indexed: notStarted, others: [wasAsked, isNotOver] }
    case 'unused':
      return { indexed: notStarted, others: [wasAsked, isOver] }
    case 'refused':
      return { indexed: notStarted, others: [{ sql: 'asked_at IS NULL', values: [] }] }
    default:
      return { indexed: 'end_cause' }
  }
}
