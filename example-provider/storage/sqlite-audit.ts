import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { openDatabase } from '../../src/adapters/sqlite-database.ts'
import { numberOf } from '../audit/cursor.ts'
import { type AuditStore, encodeEntry } from '../audit/entry.ts'
import { placeReader } from '../audit/reader.ts'

// AUTOINCREMENT: a number is never given twice, whatever somebody deletes by hand.
const SCHEMA = `
CREATE TABLE IF NOT EXISTS support_audit (
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  entry TEXT NOT NULL
) STRICT;
`

/**
 * A table beside the adapter's, through a connection of its own that is set up alike: WAL, waiting
 * for other processes. SQLite has one writer at a time, so ids become visible in order.
 */
export function sqliteAudit(file: string): AuditStore & { close(): void } {
  const database = openDatabase({ file })
  database.exec(SCHEMA)
  const insert = database.prepare('INSERT INTO support_audit (entry) VALUES (?)')
  const before = database.prepare(
    'SELECT id, entry FROM support_audit WHERE id < ? ORDER BY id DESC LIMIT ?',
  )
  const after = database.prepare(
    'SELECT id, entry FROM support_audit WHERE id > ? ORDER BY id LIMIT ?',
  )
  const place = placeReader()
  const read = (statement: StatementSync, ...values: SQLInputValue[]) =>
    statement.all(...values).map(({ id, entry }) => place(String(id), entry))

  // Async, so that what node:sqlite throws becomes a rejection.
  return {
    async append(entry) {
      insert.run(encodeEntry(entry))
    },
    async before(cursor, limit) {
      return read(before, cursor === undefined ? Number.MAX_SAFE_INTEGER : numberOf(cursor), limit)
    },
    async after(cursor, limit) {
      return read(after, cursor === undefined ? 0 : numberOf(cursor), limit)
    },
    close() {
      if (database.isOpen) database.close()
    },
  }
}
