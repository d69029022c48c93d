import type { DatabaseSync } from 'node:sqlite'

/**
 * The `schema_version`, kept as `user_version` of the file. It is raised by a change that an older
 * version of this package cannot work with; docs/upgrading.md says how.
 */
const SCHEMA_VERSION = 1

// With a rowid, although WITHOUT ROWID saves a tree: ids are random, but records of the same hour
// stay on the same pages, and `consumeOnce` costs half with a million of them. STRICT refuses non-text.
// Only subject tokens have an account. `note_actor` is `actor` of the note. `ended_index` is the status
// index of what has ended: the indices of a list come from one index alone. `ended_turn` counts ends: one
// process writes at a time, so that no end with a lower number comes later. The last number is kept apart,
// because records are removed, and a number never comes again.
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
 * @throws Error when the file belongs to another version, or the database is busy.
 */
export function createSchema(database: DatabaseSync): void {
  if (hasSchema(database)) return
  // takes the lock for writing at once: a transaction that reads first may not get it later
  database.exec('BEGIN IMMEDIATE')
  try {
    // another process may have been first, and of another version
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
    `its user_version is ${String(version)}, and this version of the package needs ${SCHEMA_VERSION} (see docs/upgrading.md)`,
  )
}
