import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
// Not the global one, which tests replace by fake timers: nothing would ever resolve.
import { setTimeout as delay } from 'node:timers/promises'
import { ROW_COLUMNS } from './row-columns.ts'

export const ENTRY = 'impersonation_audit_entry'
export const ROW = 'impersonation_audit_row'
export const WRITER = 'impersonation_audit_writer'
export const CHECKPOINT = 'impersonation_audit_checkpoint'

/**
 * How long a statement waits for the lock of another process, in milliseconds. node:sqlite is
 * synchronous: this process does nothing else meanwhile. So it is short, and a transaction is tried
 * again, with pauses in which the process does other work.
 */
const BUSY_TIMEOUT_MS = 20
const PAUSE_MS = 10
/** How long a transaction is tried again, in milliseconds. */
const PATIENCE_MS = 5000

// AUTOINCREMENT: an id is never used twice. The index of places has the text that is searched: a search
// then reads no row that it does not find.
const SCHEMA = `
CREATE TABLE IF NOT EXISTS ${ENTRY} (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  writer     TEXT NOT NULL,
  sequence   INTEGER NOT NULL,
  digest     TEXT NOT NULL,
  hash       TEXT NOT NULL,
  text       TEXT,
  row_id     TEXT,
  repeat_key TEXT,
  time       INTEGER NOT NULL,
  count      INTEGER NOT NULL,
  last_time  INTEGER
) STRICT;
CREATE TABLE IF NOT EXISTS ${ROW} (
${ROW_COLUMNS.map(([name, type]) => `  ${name} ${type === 'text' ? 'TEXT' : 'INTEGER'},\n`).join(
  '',
)}
  PRIMARY KEY (id)
) STRICT;
CREATE TABLE IF NOT EXISTS ${WRITER} (
  writer   TEXT PRIMARY KEY,
  batch    INTEGER NOT NULL,
  sequence INTEGER,
  hash     TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS ${CHECKPOINT} (
  id   INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  jws  TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS ${ENTRY}_link ON ${ENTRY} (writer, sequence);
CREATE INDEX IF NOT EXISTS ${ENTRY}_repeat_key ON ${ENTRY} (repeat_key, id)
  WHERE repeat_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${ENTRY}_row ON ${ENTRY} (row_id, id) WHERE row_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${ENTRY}_alone ON ${ENTRY} (time)
  WHERE row_id IS NULL AND text IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${ENTRY}_removed ON ${ENTRY} (writer, sequence) WHERE text IS NULL;
CREATE INDEX IF NOT EXISTS ${ROW}_place ON ${ROW} (at, id, search);
CREATE INDEX IF NOT EXISTS ${ROW}_operator ON ${ROW} (operator, at, id) WHERE operator IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${ROW}_customer ON ${ROW} (customer, at, id) WHERE customer IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${ROW}_ticket ON ${ROW} (ticket, at, id) WHERE ticket IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${ROW}_ended ON ${ROW} (end_cause, at, id) WHERE end_cause IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${ROW}_started ON ${ROW} (at, id, expires_at)
  WHERE end_cause IS NULL AND started_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${ROW}_not_started ON ${ROW} (at, id, expires_at)
  WHERE end_cause IS NULL AND started_at IS NULL;
CREATE INDEX IF NOT EXISTS ${ROW}_alarm ON ${ROW} (at, id) WHERE alarm_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${ROW}_open_alarm ON ${ROW} (at, id) WHERE open_alarm_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${ROW}_held ON ${ROW} (at, id) WHERE held_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${ROW}_last ON ${ROW} (last_at) WHERE held_at IS NULL;
`

/** Created last: where it is there, nothing is missing. */
const LAST_INDEX = `${ROW}_last`

/**
 * Opens the file, readable by its owner alone if it is new, and creates what is missing. The file may
 * be that of `createSqliteAdapter`.
 *
 * @throws Error when the file cannot be opened or is no database.
 */
export async function openDatabase(file: string): Promise<DatabaseSync> {
  let database: DatabaseSync | undefined
  try {
    // SQLite would let everyone read it. Its -wal and -shm files take their mode from it.
    if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600))
    const opened = new DatabaseSync(file)
    database = opened
    opened.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    // Fails at once, without waiting, while another process does the same.
    await patiently(() => opened.exec('PRAGMA journal_mode = WAL'))
    // An entry that was answered for survives a loss of power.
    opened.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -8000')
    if (!hasSchema(opened)) await inTransaction(opened, () => opened.exec(SCHEMA))
    return opened
  } catch (error) {
    database?.close()
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `createSqliteAudit cannot use ${file}: ${reason}. Its folder has to exist and be writable, ` +
        'on a local disk, and the file be empty or an SQLite database.',
      { cause: error },
    )
  }
}

function hasSchema(database: DatabaseSync): boolean {
  const query = "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?"
  return database.prepare(query).get(LAST_INDEX) !== undefined
}

/**
 * Runs synchronous work in a transaction: all of it is stored, or nothing. It takes the lock for
 * writing at once: a transaction that reads first may not get it later.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): Promise<T> {
  return patiently(() => {
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      database.exec('COMMIT')
      return result
    } catch (error) {
      undo(database)
      throw error
    }
  })
}

function undo(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // After some errors, such as a full disk, SQLite has undone it already.
  }
}

/** Does the work again while another process has the lock. */
async function patiently<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
      await delay(PAUSE_MS)
    }
  }
}

/** SQLITE_BUSY or SQLITE_LOCKED, extended codes included. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error && 'errcode' in error)) return false
  const code = Number(error.errcode) & 0xff
  return code === 5 || code === 6
}
