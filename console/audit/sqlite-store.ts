import { closeSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { numberOf } from './cursor.ts'
import { encodeEntry, USED_TEXT } from './entry.ts'
import { placeReader } from './reader.ts'
import type { AuditStore, Needed } from './store.ts'

// AUTOINCREMENT: an id is never used twice, even after rows are deleted by hand.
const TABLES = `
CREATE TABLE IF NOT EXISTS support_audit (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  entry      TEXT NOT NULL,
  repeat_key TEXT,
  count      INTEGER NOT NULL DEFAULT 1,
  last_time  INTEGER
) STRICT;
CREATE TABLE IF NOT EXISTS support_audit_writer (
  writer TEXT PRIMARY KEY,
  batch  INTEGER NOT NULL
) STRICT;
`
const OTHERS = `substr(entry, 1, ${USED_TEXT.length}) <> '${USED_TEXT}'`
const INDEXES = `
CREATE UNIQUE INDEX IF NOT EXISTS support_audit_repeat_key ON support_audit (repeat_key);
CREATE INDEX IF NOT EXISTS support_audit_others ON support_audit (id) WHERE ${OTHERS};
`

/** Columns that the table of the previous version does not have. */
const NEW_COLUMNS: ReadonlyArray<readonly [name: string, type: string]> = [
  ['repeat_key', 'TEXT'],
  ['count', 'INTEGER NOT NULL DEFAULT 1'],
  ['last_time', 'INTEGER'],
]

const INSERT = `
INSERT INTO support_audit (entry, repeat_key, count, last_time) VALUES (?, ?, ?, ?)
ON CONFLICT (repeat_key) DO UPDATE SET
  count = count + excluded.count, last_time = max(last_time, excluded.last_time)`

/** Changes a row only for a batch that is not written yet. */
const CLAIM = `
INSERT INTO support_audit_writer (writer, batch) VALUES (?, ?)
ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch WHERE batch < excluded.batch`

const COLUMNS = 'id, entry, count, last_time AS lastTime'

/**
 * Creates the audit tables beside the tables of the adapter. It has its own connection with the
 * same settings: waiting for other processes, and WAL, to which the adapter has switched the file. SQLite has one writer at a time, so ids
 * become visible in order.
 */
export function sqliteAudit(file: string): AuditStore & { close(): void } {
  const database = openDatabase(file)
  inTransaction(database, () => prepare(database))
  const claim = database.prepare(CLAIM)
  const insert = database.prepare(INSERT)
  const reader = (range: string) => ({
    all: database.prepare(`SELECT ${COLUMNS} FROM support_audit WHERE ${range} LIMIT ?`),
    'without requests': database.prepare(
      `SELECT ${COLUMNS} FROM support_audit INDEXED BY support_audit_others WHERE ${OTHERS} AND ${range} LIMIT ?`,
    ),
  })
  const before = reader('id < ? ORDER BY id DESC')
  const after = reader('id > ? ORDER BY id')
  const place = placeReader()
  const read = (statement: StatementSync, ...values: SQLInputValue[]) =>
    statement
      .all(...values)
      .map(({ id, entry, count = 1, lastTime = null }) =>
        place(String(id), entry, { count, lastTime }),
      )

  // The methods are async, so that an exception of node:sqlite becomes a rejection.
  return {
    async append({ writer, number, records }) {
      inTransaction(database, () => {
        if (claim.run(writer, number).changes === 0) return
        for (const { entry, repeatKey = null, count, lastTime } of records) {
          insert.run(encodeEntry(entry), repeatKey, count, lastTime)
        }
      })
    },
    async before(cursor, limit, needed: Needed = 'all') {
      const id = cursor === undefined ? Number.MAX_SAFE_INTEGER : numberOf(cursor)
      return read(before[needed], id, limit)
    },
    async after(cursor, limit, needed: Needed = 'all') {
      return read(after[needed], cursor === undefined ? 0 : numberOf(cursor), limit)
    },
    close() {
      if (database.isOpen) database.close()
    },
  }
}

function openDatabase(file: string): DatabaseSync {
  // For its owner alone, as the files beside it.
  closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file)
  database.exec(
    'PRAGMA busy_timeout = 2000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL',
  )
  return database
}

function prepare(database: DatabaseSync): void {
  database.exec(TABLES)
  const there = database.prepare('PRAGMA table_info(support_audit)').all()
  for (const [name, type] of NEW_COLUMNS) {
    if (there.some((column) => column.name === name)) continue
    database.exec(`ALTER TABLE support_audit ADD COLUMN ${name} ${type}`)
  }
  database.exec(INDEXES)
}

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    work()
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
