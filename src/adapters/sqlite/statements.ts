import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { replaceAssignments } from '../sql.ts'
import { storageError } from '../storage-error.ts'

/** What of a record is read. */
const FOUND_COLUMNS = 'payload, consumed_at, note, ended'

export type SqliteStatements = ReturnType<typeof prepareAll>

/**
 * Prepared once for the life of the database: parsing would cost more than running. `?1` is the
 * model, `?2` the key and `?3` the time, unless noted otherwise.
 */
export function prepareAll(database: DatabaseSync) {
  const live = '(expires_at IS NULL OR expires_at > ?3)'
  const read = (column: string) =>
    database.prepare(
      `SELECT ${FOUND_COLUMNS} FROM oidc_records WHERE model = ?1 AND ${column} = ?2 AND ${live}
       ORDER BY expires_at IS NULL DESC, expires_at DESC LIMIT 1`,
    )
  const nextTurn = '(SELECT last + 1 FROM oidc_turns)'
  const replacedLive = '(expires_at IS NULL OR expires_at > ?15)'
  return {
    // a live record that is consumed or has ended stays so when it is replaced
    upsert: database.prepare(
      `INSERT INTO oidc_records
         (model, id, payload, uid, user_code, grant_id, consumed_at, expires_at,
          account_id, client_id, actor, issued_at, status_list, status_index)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
       ON CONFLICT (model, id) DO UPDATE SET
         ${replaceAssignments(replacedLive)},
         ended_index = CASE WHEN ${replacedLive} AND ended IS NOT NULL THEN excluded.status_index END,
         ended_turn = CASE WHEN ${replacedLive} AND ended IS NOT NULL THEN ${nextTurn} END`,
    ),
    find: read('id'),
    findByUid: read('uid'),
    findByUserCode: read('user_code'),
    consume: database.prepare(
      `UPDATE oidc_records SET consumed_at = ?4 WHERE model = ?1 AND id = ?2 AND ${live}`,
    ),
    /** `?5` the note, `?6` its actor. */
    consumeOnce: database.prepare(
      `UPDATE oidc_records
       SET consumed_at = ?4, note = ?5, note_actor = ?6, actor = coalesce(?6, actor)
       WHERE model = ?1 AND id = ?2 AND ${live} AND consumed_at IS NULL AND ended IS NULL`,
    ),
    endOnce: database.prepare(
      `UPDATE oidc_records SET ended = ?4, ended_index = status_index, ended_turn = ${nextTurn}
       WHERE model = ?1 AND id = ?2 AND ${live} AND ended IS NULL`,
    ),
    destroy: database.prepare('DELETE FROM oidc_records WHERE model = ? AND id = ?'),
    revokeByGrantId: database.prepare('DELETE FROM oidc_records WHERE model = ? AND grant_id = ?'),
    endedIndices: database.prepare(
      `SELECT DISTINCT ended_index FROM oidc_records INDEXED BY oidc_records_ended
       WHERE status_list = ?1 AND ended_index IS NOT NULL
         AND (expires_at IS NULL OR expires_at > ?2)`,
    ),
    /** `?1` the list, `?2` the turn after which it begins, `?3` how many at most. */
    endedAfter: database.prepare(
      `SELECT ended_index, ended_turn FROM oidc_records INDEXED BY oidc_records_ended
       WHERE status_list = ?1 AND ended_index IS NOT NULL AND ended_turn > ?2
       ORDER BY ended_turn LIMIT ?3`,
    ),
    // IS NOT NULL names the condition of the index: without it, SQLite prepares the statement anew
    // each time, to see whether the value that is bound implies it
    deleteExpired: database.prepare(
      `DELETE FROM oidc_records WHERE rowid IN
       (SELECT rowid FROM oidc_records WHERE expires_at IS NOT NULL AND expires_at <= ?
        ORDER BY expires_at LIMIT ?)`,
    ),
  }
}

/**
 * `?1` the time, `?2` how many, `?3` on the values of the conditions.
 *
 * @param index of the column that is looked up by
 */
export function prepareList(
  database: DatabaseSync,
  index: string,
  conditions: string,
): StatementSync {
  try {
    // INDEXED BY: without statistics SQLite may take another
    return database.prepare(
      `SELECT ${FOUND_COLUMNS} FROM oidc_records INDEXED BY oidc_records_${index}
       WHERE account_id IS NOT NULL AND (expires_at IS NULL OR expires_at > ?1)${conditions}
       ORDER BY issued_at DESC, id DESC LIMIT ?2`,
    )
  } catch (error) {
    throw storageError('SQLite', error)
  }
}

export type SqliteValue = string | number | null

/** @returns how many rows changed */
export function write(statement: StatementSync, values: readonly SqliteValue[]): number {
  try {
    return Number(statement.run(...values).changes)
  } catch (error) {
    throw storageError('SQLite', error)
  }
}

/** @returns the rows that were found */
export function read(statement: StatementSync, values: readonly SqliteValue[]) {
  try {
    return statement.all(...values)
  } catch (error) {
    throw storageError('SQLite', error)
  }
}

/** @returns the first row that was found */
export function readFirst(statement: StatementSync, values: readonly SqliteValue[]) {
  try {
    return statement.get(...values)
  } catch (error) {
    throw storageError('SQLite', error)
  }
}
