import { createHash } from 'node:crypto'
import {
  type AuditRow,
  noticeDueAt,
  type Outcome,
  openAlarmOf,
} from 'oidc-provider-impersonation-verify/format'
import type { FiledRow, RowFilter } from '../store.ts'
import { idCursor } from './cursor.ts'
import { rowWordsOf, searchable, searchTextOf, wordsOf } from './filter.ts'
import { namedEntriesIn, type ResultRow, textIn } from './stored-columns.ts'

/**
 * A row as the tables of SQL databases keep it: itself as JSON (`data`), and what is searched. Names,
 * and the types of PostgreSQL.
 */
export const ROW_COLUMNS = [
  ['id', 'text'],
  ['at', 'bigint'],
  ['last_at', 'bigint'],
  ['customer', 'text'],
  ['operator', 'text'],
  ['ticket', 'text'],
  ['asked_at', 'bigint'],
  ['started_at', 'bigint'],
  ['expires_at', 'bigint'],
  ['end_cause', 'text'],
  ['alarm_at', 'bigint'],
  // as `alarm_at`, until the alarm is acknowledged
  ['open_alarm_at', 'bigint'],
  // as `open_alarm_at`, where it is urgent
  ['urgent_alarm_at', 'bigint'],
  // of rows on hold
  ['held_at', 'bigint'],
  // see `noticeDueAt`
  ['notice_due_at', 'bigint'],
  // see `searchTextOf`
  ['search', 'text'],
  ['data', 'text'],
] as const

/** The values of the columns. */
export type RowColumns = {
  readonly [C in (typeof ROW_COLUMNS)[number] as C[0]]:
    | (C[1] extends 'bigint' ? number : string)
    | null
}

export function columnsOf(row: AuditRow): RowColumns {
  const { customer, operator, ticket, alarm, hold } = row
  const open = openAlarmOf(row)
  return {
    id: row.id,
    at: row.at,
    last_at: row.lastAt,
    customer: indexed(customer?.id),
    operator: indexed(operator?.id),
    ticket: indexed(ticket === undefined ? undefined : searchable(ticket)),
    asked_at: row.askedAt ?? null,
    started_at: row.startedAt ?? null,
    expires_at: row.expiresAt ?? null,
    end_cause: row.end?.cause ?? null,
    alarm_at: alarm?.at ?? null,
    open_alarm_at: alarm && open ? alarm.at : null,
    urgent_alarm_at: alarm && open === 'urgent' ? alarm.at : null,
    held_at: hold?.isHeld ? hold.at : null,
    notice_due_at: noticeDueAt(row) ?? null,
    search: searchTextOf(row),
    data: JSON.stringify(row),
  }
}

/** Whether a text can be the id of a row. PostgreSQL refuses to compare with some that cannot. */
export function isRowId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id)
}

/** @throws Error when the text is not that of a row. */
export function parseRow(text: unknown): AuditRow {
  const row: unknown = typeof text === 'string' ? JSON.parse(text) : undefined
  if (isRow(row)) return row
  throw new Error('the storage of the audit has a row that cannot be read')
}

/** A word of a row, as the tables of SQL databases keep it. */
export interface WordColumns {
  readonly word: string
  readonly id: string
}

/** The words of rows. A row that cannot be read has none. */
export function wordColumnsOf(rows: readonly (ResultRow | RowColumns)[]): WordColumns[] {
  return rows.flatMap(({ id, search }) =>
    typeof id === 'string' && typeof search === 'string'
      ? search.split(' ').flatMap((word) => (word === '' ? [] : { word, id }))
      : [],
  )
}

/** What some rows have that others do not have. */
export function wordsBeside(some: readonly WordColumns[], others: readonly WordColumns[]) {
  const keys = new Set(others.map(({ word, id }) => `${word} ${id}`))
  return some.filter(({ word, id }) => !keys.has(`${word} ${id}`))
}

/** Whether the columns of a stored row are those that it has to have, and all its words are stored. */
function isMisfiled(columns: ResultRow): boolean {
  try {
    const row = parseRow(columns.data)
    const right = columnsOf(row)
    if (columns.stored_words !== rowWordsOf(row).length) return true
    return ROW_COLUMNS.some(([name]) => name !== 'data' && columns[name] !== right[name])
  } catch {
    return true
  }
}

/**
 * A page of `filedRows`, of rows with all their columns, their entries, and how many of their words are
 * stored, all as they are at one moment, read by their ids: one more than `limit`.
 */
export function filedPageOf(found: readonly ResultRow[], limit: number) {
  const rows = found.slice(0, limit).map((columns): FiledRow => {
    const id = textIn(columns, 'id')
    return {
      ...{ id, row: readableOf(columns), entries: namedEntriesIn(columns) },
      isMisfiled: isMisfiled(columns),
    }
  })
  const last = rows.at(-1)
  return { rows, next: found.length > limit && last ? idCursor(last.id) : undefined }
}

function readableOf({ data }: ResultRow): AuditRow | undefined {
  try {
    return parseRow(data)
  } catch {
    return undefined
  }
}

function isRow(value: unknown): value is AuditRow {
  if (typeof value !== 'object' || value === null) return false
  return (
    'id' in value &&
    typeof value.id === 'string' &&
    ['at', 'lastAt', 'reads', 'changes', 'refused', 'failed', 'denied', 'replays'].every((name) =>
      Number.isFinite(Reflect.get(value, name)),
    )
  )
}

/** A part of a `WHERE` clause, with `?` for each value. */
export interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

/**
 * @param position the function of the database that finds a text in another: 0 where it is not there
 * @param now for outcomes, in milliseconds since the epoch
 */
export function conditionsOf(filter: RowFilter, now: number, position: string): Condition[] {
  const { from, to, operator, customer, ticket, outcome, text, alarm, held } = filter
  const { noticeDueBefore } = filter
  const is = (sql: string, ...values: (string | number)[]): Condition => ({ sql, values })
  return [
    from === undefined ? [] : is('at >= ?', from),
    to === undefined ? [] : is('at < ?', to),
    operator === undefined ? [] : is('operator = ?', indexable(operator)),
    customer === undefined ? [] : is('customer = ?', indexable(customer)),
    ticket === undefined ? [] : is('ticket = ?', indexable(searchable(ticket))),
    outcome === undefined ? [] : outcomeIs(outcome, now),
    text === undefined
      ? []
      : wordsOf(text).map((word) => is(`${position}(search, ?) > 0`, ` ${word}`)),
    alarm === 'any' ? is('alarm_at IS NOT NULL') : [],
    alarm === 'open' ? is('open_alarm_at IS NOT NULL') : [],
    alarm === 'urgent' ? is('urgent_alarm_at IS NOT NULL') : [],
    held ? is('held_at IS NOT NULL') : [],
    noticeDueBefore === undefined
      ? []
      : is('notice_due_at IS NOT NULL AND notice_due_at < ?', noticeDueBefore),
  ].flat()
}

/** In the same way as `outcomeOf`. */
function outcomeIs(outcome: Outcome, now: number): Condition {
  const started = 'end_cause IS NULL AND started_at IS NOT NULL'
  const asked = 'end_cause IS NULL AND started_at IS NULL AND asked_at IS NOT NULL'
  const isOver = '(expires_at IS NULL OR expires_at <= ?)'
  switch (outcome) {
    case 'running':
      return { sql: `${started} AND expires_at > ?`, values: [now] }
    case 'expired':
      return { sql: `${started} AND ${isOver}`, values: [now] }
    case 'waiting':
      return { sql: `${asked} AND expires_at > ?`, values: [now] }
    case 'unused':
      return { sql: `${asked} AND ${isOver}`, values: [now] }
    case 'refused':
      return {
        sql: 'end_cause IS NULL AND started_at IS NULL AND asked_at IS NULL',
        values: [],
      }
    default:
      return { sql: 'end_cause = ?', values: [outcome] }
  }
}

/**
 * An index of PostgreSQL takes no more than 2704 bytes: a ticket number that is longer must not make
 * the whole audit fail. Of a long text the digest is compared.
 */
export function indexable(text: string): string {
  const MAX_CHARACTERS = 200
  if (text.length <= MAX_CHARACTERS) return storable(text)
  return createHash('sha256').update(storable(text)).digest('base64url')
}

function indexed(text: string | undefined): string | null {
  return text === undefined ? null : indexable(text)
}

/** PostgreSQL refuses NUL, and UTF-8 has no lone surrogates. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
