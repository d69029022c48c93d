import { DatabaseSync } from 'node:sqlite'
import { isBusy, openFile, tune } from './open.ts'
import { createSchema } from './schema.ts'

/** What the adapter opens its file with. */
export interface SqliteFile {
  /** A path, made if it is not there (its folder has to be), or `':memory:'`. */
  file: string

  /**
   * How safe a commit is. `'NORMAL'`: it survives the end of the process, `kill -9` included. When the
   * machine loses power, the commits that the system has not put on the disk by itself are forgotten,
   * consumptions among them: at most those since the last checkpoint. `'FULL'`: it survives that too,
   * at the cost of an fsync for each transaction.
   *
   * @defaultValue `'NORMAL'`
   */
  synchronous?: 'NORMAL' | 'FULL'

  /**
   * How long a write waits for that of another process, in milliseconds, 0 or more. node:sqlite is
   * synchronous: the whole process waits.
   *
   * @defaultValue 2000
   */
  busyTimeoutMs?: number
}

/**
 * With that many pages in the WAL file (16 MB), they are written into the database. SQLite's own
 * default is 1000; a page that several commits change is then written more often. With more than
 * 4000, each look-up in the WAL takes longer. With `NORMAL`, SQLite syncs the WAL at a checkpoint
 * alone, so this bounds what a loss of power can undo.
 */
const CHECKPOINT_PAGES = 4000

/**
 * Opens the file, readable by its owner alone if it is new, and creates what is missing in it.
 * Several processes may do so at once.
 *
 * @throws TypeError when an option is wrong, Error when the file cannot be opened or is no database,
 * or this Node is too old.
 */
export function openDatabase(options: SqliteFile): DatabaseSync {
  const { file, synchronous = 'NORMAL', busyTimeoutMs = 2000 } = options
  if (typeof file !== 'string' || file === '') {
    throw new TypeError('createSqliteAdapter: file must be a path or ":memory:"')
  }
  if (synchronous !== 'NORMAL' && synchronous !== 'FULL') {
    throw new TypeError("createSqliteAdapter: synchronous must be 'NORMAL' or 'FULL'")
  }
  if (!Number.isInteger(busyTimeoutMs) || busyTimeoutMs < 0 || busyTimeoutMs > 2 ** 31 - 1) {
    throw new TypeError('createSqliteAdapter: busyTimeoutMs must be an integer, 0 or more')
  }
  requireNumberedParameters()
  let database: DatabaseSync | undefined
  try {
    database = openFile(file, busyTimeoutMs)
    prepareFile(database, Date.now() + busyTimeoutMs)
    tune(database, synchronous)
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    return database
  } catch (error) {
    database?.close()
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `Cannot use ${file} as an SQLite database: ${reason}. Its folder has to exist and be ` +
        'writable, on a local disk, and the file be empty or made by this adapter.',
      { cause: error },
    )
  }
}

/**
 * node:sqlite takes values for `?1` from 22.20 and 24.7 on. Without that, each statement would fail,
 * and only once a request needs it.
 *
 * @see {@link https://github.com/nodejs/node/pull/59350}
 */
function requireNumberedParameters(): void {
  const database = new DatabaseSync(':memory:')
  try {
    database.prepare('SELECT ?1').get(1)
  } catch (cause) {
    throw new Error(
      `createSqliteAdapter needs Node 22.20 or 24.7, or later: ${process.version} has a node:sqlite that takes no numbered parameters`,
      { cause },
    )
  } finally {
    database.close()
  }
}

/**
 * Switching to WAL fails at once, without waiting, while another process does the same; so it is
 * tried again.
 */
function prepareFile(database: DatabaseSync, deadline: number): void {
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      createSchema(database)
      return
    } catch (error) {
      if (!isBusy(error) || Date.now() >= deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}
