import type { DatabaseSync } from 'node:sqlite'

/**
 * Stays what it is as long as the version before can use the file: it refuses every other number,
 * and the two run side by side during an upgrade.
 */
const SCHEMA_VERSION = 1

// With a rowid, although WITHOUT ROWID saves a tree: ids are random, but records of the same hour
// stay on the same pages, and `consumeOnce` costs half with a million of them. STRICT refuses non-text.
// `consumed_at` is 0 for what ended without being consumed: then no version consumes it.
const SCHEMA = `
CREATE TABLE IF NOT EXISTS oidc_records (
  model       TEXT NOT NULL,
  id          TEXT NOT NULL,
  payload     TEXT NOT NULL,
  uid         TEXT,
  user_code   TEXT,
  grant_id    TEXT,
  consumed_at INTEGER,
  expires_at  INTEGER,
  PRIMARY KEY (model, id)
) STRICT;
CREATE INDEX IF NOT EXISTS oidc_records_uid ON oidc_records (model, uid) WHERE uid IS NOT NULL;
CREATE INDEX IF NOT EXISTS oidc_records_user_code ON oidc_records (model, user_code)
  WHERE user_code IS NOT NULL;
CREATE INDEX IF NOT EXISTS oidc_records_grant_id ON oidc_records (model, grant_id)
  WHERE grant_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS oidc_records_expires_at ON oidc_records (expires_at)
  WHERE expires_at IS NOT NULL;
PRAGMA user_version = ${SCHEMA_VERSION};
`

// A table of its own, and no columns of the other: ALTER TABLE reads a STRICT table from end to end for
// each column, and CREATE INDEX for each index. With a million records, writers would wait for seconds.
// WITHOUT ROWID, because each page that a commit touches costs more than the lookup.
// `ended_index` is the status index of what has ended: the indices of a list come from one index alone.
// The trigger works in processes of the version before as well.
const LIFECYCLE_SCHEMA = `
CREATE TABLE IF NOT EXISTS oidc_subject_tokens (
  id           TEXT NOT NULL PRIMARY KEY,
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
  expires_at   INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS oidc_subject_tokens_account_id
  ON oidc_subject_tokens (account_id, issued_at, id) WHERE account_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS oidc_subject_tokens_actor
  ON oidc_subject_tokens (actor, issued_at, id) WHERE actor IS NOT NULL;
CREATE INDEX IF NOT EXISTS oidc_subject_tokens_client_id
  ON oidc_subject_tokens (client_id, issued_at, id) WHERE client_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS oidc_subject_tokens_issued_at
  ON oidc_subject_tokens (issued_at, id) WHERE account_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS oidc_subject_tokens_ended
  ON oidc_subject_tokens (status_list, expires_at, ended_index) WHERE ended_index IS NOT NULL;
CREATE TRIGGER IF NOT EXISTS oidc_records_deleted AFTER DELETE ON oidc_records
  WHEN OLD.model = 'SubjectToken'
  BEGIN DELETE FROM oidc_subject_tokens WHERE id = OLD.id; END;
`

/**
 * Creates what is missing. Where all is there it only reads.
 *
 * @throws Error when the file belongs to another version, or the database is busy.
 */
export function createSchema(database: DatabaseSync): void {
  const version = database.prepare('PRAGMA user_version').get()?.user_version
  if (version !== 0 && version !== SCHEMA_VERSION) {
    throw new Error(`its user_version is ${String(version)}, not ${SCHEMA_VERSION}`)
  }
  const missing = version === 0 ? [SCHEMA] : []
  // created last, so that nothing is missing where it is there
  if (!hasTrigger(database)) missing.push(LIFECYCLE_SCHEMA)
  if (missing.length > 0) inTransaction(database, () => database.exec(missing.join('')))
}

function hasTrigger(database: DatabaseSync): boolean {
  const query =
    "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = 'oidc_records_deleted'"
  return database.prepare(query).get() !== undefined
}

/**
 * Runs the work in a transaction. It takes the lock for writing at once: a transaction that reads
 * first may not get it later.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
