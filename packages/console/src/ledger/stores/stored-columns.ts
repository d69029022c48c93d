import type { ChainHead, NamedEntry } from 'oidc-provider-impersonation-verify/format'
import type { StoredEntry } from '../store.ts'

/** A row of a result of a SQL database: its columns are still to be looked at. */
export type ResultRow = Readonly<Record<string, unknown>>

export function isResultRow(row: unknown): row is ResultRow {
  return typeof row === 'object' && row !== null
}

/** From the columns `cursor`, `writer`, `sequence`, `hash`, `digest`, `text`, `row_id`, `count`, `last_time`. */
export function storedEntryOf(columns: ResultRow): StoredEntry {
  const count = numberIn(columns, 'count')
  return {
    cursor: textIn(columns, 'cursor'),
    writer: textIn(columns, 'writer'),
    sequence: numberIn(columns, 'sequence'),
    hash: textIn(columns, 'hash'),
    digest: textIn(columns, 'digest'),
    text: columns.text === null ? undefined : textIn(columns, 'text'),
    row: columns.row_id === null ? undefined : textIn(columns, 'row_id'),
    count,
    lastTime: count === 1 ? undefined : numberIn(columns, 'last_time'),
  }
}

/** From the columns `writer`, `sequence`, `hash`. */
export function headOf(columns: ResultRow): ChainHead {
  return {
    writer: textIn(columns, 'writer'),
    sequence: numberIn(columns, 'sequence'),
    hash: textIn(columns, 'hash'),
  }
}

/** From the column `entries`: a JSON array of writer, sequence, count and last time. */
export function namedEntriesIn(columns: ResultRow): NamedEntry[] {
  const all: unknown = JSON.parse(textIn(columns, 'entries'))
  if (!Array.isArray(all)) throw unreadable('entries')
  return all.map((each): NamedEntry => {
    const [writer, sequence, count, lastTime] = each
    return count === 1
      ? [String(writer), Number(sequence)]
      : [String(writer), Number(sequence), Number(count), Number(lastTime)]
  })
}

export function textIn(columns: ResultRow, name: string): string {
  const value = columns[name]
  if (typeof value === 'string') return value
  throw unreadable(name)
}

export function numberIn(columns: ResultRow, name: string): number {
  const value = columns[name]
  if (typeof value === 'number') return value
  throw unreadable(name)
}

function unreadable(name: string): Error {
  return new Error(`the storage of the audit answered without a usable ${name}`)
}
