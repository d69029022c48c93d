import type { DatabaseSync, StatementSync } from 'node:sqlite'
// Not the global one, which tests replace by fake timers: nothing would ever resolve.
import { setTimeout as delay } from 'node:timers/promises'
import {
  BoundedMap,
  isBusy,
  openFile,
  primaryCode,
  tune,
} from 'oidc-provider-impersonation/siblings'
import { log } from '../../../kernel/log-line.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { isResultRow, type ResultRow } from '../stored-columns.ts'

/**
 * The longest wait of a statement for the lock of another process, in milliseconds. node:sqlite is
 * synchronous: this process does nothing else meanwhile. So it is short, and a transaction is tried
 * again, with pauses in which the process does other work.
 */
const BUSY_TIMEOUT_MS = 20
const PAUSE_MS = 10
/** Time in which a transaction is tried again, in milliseconds. */
const RETRY_TIMEOUT_MS = 5000

/**
 * Opens the file, readable by its owner alone if it is new. The file may be that of
 * `createSqliteAdapter`.
 *
 * @throws Error when the file cannot be opened or is no database.
 */
export async function openDatabase(file: string): Promise<DatabaseSync> {
  const database = openFile(file, BUSY_TIMEOUT_MS)
  try {
    // Fails at once, without waiting, while another process does the same.
    await patiently(() => database.exec('PRAGMA journal_mode = WAL'))
    // An entry that was answered for survives a loss of power.
    tune(database, 'FULL')
    // Erased texts are gone from the file.
    database.exec('PRAGMA secure_delete = ON')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** To prepare a statement costs more than to run it. */
const prepared = new WeakMap<DatabaseSync, Map<string, StatementSync>>()
/** Searches have many texts. */
const MAX_PREPARED = 50

function prepare(database: DatabaseSync, text: string): StatementSync {
  const statements = prepared.get(database) ?? new BoundedMap<string, StatementSync>(MAX_PREPARED)
  prepared.set(database, statements)
  const statement = statements.get(text) ?? database.prepare(text)
  statements.set(text, statement)
  return statement
}

export function read(database: DatabaseSync, { text, values }: Sql): ResultRow[] {
  return prepare(database, text)
    .all(...values)
    .filter(isResultRow)
}

/**
 * Does the work in a transaction without a pause: all of it is stored, or nothing. It takes the lock
 * for writing at once: a transaction that reads first may not get it later. SQLite has one writer at a
 * time: numbers become visible in order, and no row changes meanwhile.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): Promise<T> {
  return patiently(() => {
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      database.exec('COMMIT')
      return result
    } catch (error) {
      // After some errors, such as a full disk, SQLite has undone it already.
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  })
}

/**
 * Empties the file of what was written last, the write-ahead log: it still has what was erased. While another
 * process reads, it is tried again.
 */
export async function emptyLog(database: DatabaseSync): Promise<void> {
  const deadline = performance.now() + RETRY_TIMEOUT_MS
  while (read(database, sql`PRAGMA wal_checkpoint(TRUNCATE)`).some(({ busy }) => busy !== 0)) {
    if (performance.now() >= deadline) {
      log(
        'another process reads all the time: the -wal file of SQLite has what was erased until it stops',
      )
      return
    }
    await delay(PAUSE_MS)
  }
}

/** Does the work again while another process has the lock. */
export async function patiently<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + RETRY_TIMEOUT_MS
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
      await delay(PAUSE_MS)
    }
  }
}

/**
 * Returns true if SQLite refuses a value: SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH, or a value that
 * node:sqlite cannot hand over.
 */
export function isBadData(error: unknown): boolean {
  const code = primaryCode(error)
  if (code !== undefined) return code >= 18 && code <= 20
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_INVALID_ARG_TYPE'
}
