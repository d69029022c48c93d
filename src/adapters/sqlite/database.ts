import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { aFunction, integer, oneOf, type Resolved, text } from '../../options/rules.ts'

/** The options of the adapter's file. */
export interface SqliteFile {
  /**
   * A path such as `'data/oidc.db'`, created if it does not exist (its folder must), or
   * `':memory:'`.
   *
   * @example
   * file: ':memory:'
   */
  file: string

  /**
   * The durability of a commit. With `'NORMAL'`, it survives the end of the process. If the machine
   * loses power, the last commits can be lost, consumptions among them. With `'FULL'`, it survives
   * that too, at the cost of an fsync for each transaction.
   * @defaultValue `'NORMAL'`
   */
  synchronous?: 'NORMAL' | 'FULL'

  /**
   * The longest wait of a write for that of another process, in milliseconds: 0 to 2147483647.
   * node:sqlite is synchronous, so the whole process waits.
   *
   * @defaultValue `2000`
   */
  busyTimeoutMs?: number
}

export const FILE_RULES = {
  file: text.required("a path, or ':memory:'"),
  synchronous: oneOf(['NORMAL', 'FULL']).or('NORMAL'),
  busyTimeoutMs: integer(0, 2 ** 31 - 1).or(2000),
}

export const SQLITE_RULES = { ...FILE_RULES, now: aFunction<() => number>() }

/**
 * The largest memory for pages, in KiB. SQLite's own default is 2000. Reads from a large file cost
 * less with more of it, and writes cost more, because a commit goes through the pages in memory.
 */
const CACHE_KIB = 8000

/**
 * The number of pages in the WAL file (16 MB) after which they are written into the database.
 * SQLite's own default is 1000, with which a page that several commits change is written more
 * often. With more than 4000, each look-up in the WAL takes longer. With `NORMAL`, SQLite syncs
 * the WAL at a checkpoint alone, so this bounds the commits that a loss of power can undo.
 */
const CHECKPOINT_PAGES = 4000

/**
 * Opens the file, readable by its owner alone if it is new, and creates its missing parts. Several
 * processes may do so at once.
 *
 * @throws Error if the file cannot be opened or is no database, or this Node is too old
 */
export function openDatabase({ file, synchronous, busyTimeoutMs }: Resolved<typeof FILE_RULES>) {
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
 * Opens the file, readable by its owner alone if it is new.
 *
 * @param busyTimeoutMs - the longest wait of a statement for the lock of another process, in
 * milliseconds
 * @throws Error if the file cannot be opened
 */
export function openFile(file: string, busyTimeoutMs: number): DatabaseSync {
  // SQLite would let everyone read it. Its -wal and -shm files take their mode from it.
  if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file)
  // Comes first, so that the next statements wait for other processes that are starting.
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  return database
}

/** @param synchronous - with `'FULL'`, each commit survives a loss of power */
export function tune(database: DatabaseSync, synchronous: 'NORMAL' | 'FULL'): void {
  database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA cache_size = -${CACHE_KIB}`)
}

/** Checks whether another process has the lock: SQLITE_BUSY or SQLITE_LOCKED. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error)
  return code === 5 || code === 6
}

/** Returns the result code of an error of SQLite, which is the last byte of an extended code. */
export function primaryCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
}

/**
 * Checks for numbered parameters. node:sqlite takes values for `?1` from 22.20 and 24.7 on.
 * Without that, each statement would fail, and only once a request needs it.
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
 * Switches to WAL, with retries, because the switch fails at once while another process does the
 * same.
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

/**
 * The `schema_version`, kept as `user_version` of the file. A change that an older version of this
 * package cannot work with raises it. docs/production.md describes it.
 */
const SCHEMA_VERSION = 1

// With a rowid, although WITHOUT ROWID saves a tree. Ids are random, but records of the same hour
// stay on the same pages, and `consumeOnce` costs half with a million of them. STRICT refuses
// non-text. Only subject tokens have an account. `note_actor` is `actor` of the note.
// `ended_index` is the status index of an ended record, so that the indices of a list come from
// one index alone. `ended_turn` counts ends. One process writes at a time, so that no end with a
// lower number comes later. The last number is kept apart, because records are removed, and a
// number never comes again.
const SCHEMA_SQL = `
CREATE TABLE oidc_records (
  model        TEXT NOT NULL,
  id           TEXT NOT NULL,
  payload      TEXT NOT NULL,
  uid          TEXT,
  user_code    TEXT,
  grant_id     TEXT,
  consumed_at  INTEGER,
  expires_at   INTEGER,
  account_id   TEXT,
  client_id    TEXT,
  actor        TEXT,
  issued_at    INTEGER,
  status_list  TEXT,
  status_index INTEGER,
  note         TEXT,
  note_actor   TEXT,
  ended        TEXT,
  ended_index  INTEGER,
  ended_turn   INTEGER,
  PRIMARY KEY (model, id)
) STRICT;
CREATE INDEX oidc_records_uid ON oidc_records (model, uid) WHERE uid IS NOT NULL;
CREATE INDEX oidc_records_user_code ON oidc_records (model, user_code)
  WHERE user_code IS NOT NULL;
CREATE INDEX oidc_records_grant_id ON oidc_records (model, grant_id)
  WHERE grant_id IS NOT NULL;
CREATE INDEX oidc_records_expires_at ON oidc_records (expires_at)
  WHERE expires_at IS NOT NULL;
CREATE INDEX oidc_records_account_id
  ON oidc_records (account_id, issued_at, id) WHERE account_id IS NOT NULL;
CREATE INDEX oidc_records_actor
  ON oidc_records (actor, issued_at, id) WHERE actor IS NOT NULL;
CREATE INDEX oidc_records_client_id
  ON oidc_records (client_id, issued_at, id) WHERE client_id IS NOT NULL;
CREATE INDEX oidc_records_issued_at
  ON oidc_records (issued_at, id) WHERE account_id IS NOT NULL;
CREATE INDEX oidc_records_ended
  ON oidc_records (status_list, ended_turn, ended_index, expires_at) WHERE ended_index IS NOT NULL;
CREATE TABLE oidc_turns (last INTEGER NOT NULL) STRICT;
INSERT INTO oidc_turns VALUES (0);
CREATE TRIGGER oidc_records_turn AFTER UPDATE OF ended_turn ON oidc_records
  WHEN new.ended_turn IS NOT NULL
  BEGIN UPDATE oidc_turns SET last = new.ended_turn; END;
PRAGMA user_version = ${SCHEMA_VERSION};
`

/**
 * Creates the table in a new file. In any other it only reads.
 *
 * @throws Error if the file belongs to another version, or the database is busy
 */
function createSchema(database: DatabaseSync): void {
  if (hasSchema(database)) return
  // takes the lock for writing at once, because a transaction that reads first may not get it
  // later
  database.exec('BEGIN IMMEDIATE')
  try {
    // another process may have been first, with another version
    if (!hasSchema(database)) database.exec(SCHEMA_SQL)
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function hasSchema(database: DatabaseSync): boolean {
  const version = database.prepare('PRAGMA user_version').get()?.user_version
  if (version === 0 || version === SCHEMA_VERSION) return version !== 0
  throw new Error(
    `its user_version is ${String(version)}, and this version of the package needs ${SCHEMA_VERSION} (see docs/production.md#schema_version)`,
  )
}
