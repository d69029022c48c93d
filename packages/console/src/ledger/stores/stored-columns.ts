import { digestParts } from 'oidc-provider-impersonation-verify/chain'
import type { StoredEntry } from '../store.ts'

/** A row of a result of a SQL database: its columns are still to be looked at. */
export type ResultRow = Readonly<Record<string, unknown>>

export function isResultRow(row: unknown): row is ResultRow {
  return typeof row === 'object' && row !== null
}

/** From the columns `number`, `digest`, `text`, `mac`. */
export function storedEntryOf(columns: ResultRow): StoredEntry {
  const [number, digest] = [numberIn(columns, 'number'), textIn(columns, 'digest')]
  // Somebody put in a digest that is none: no mark is right for it.
  const { id, time, subject: row } = digestParts(digest) ?? { id: '', time: 0, subject: undefined }
  const text = columns.text === null ? undefined : textIn(columns, 'text')
  return { number, id, time, digest, text, mac: textIn(columns, 'mac'), row }
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
