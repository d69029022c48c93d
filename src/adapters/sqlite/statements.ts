import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { replaceAssignments } from '../sql.ts'

/** The columns of a record that are read. */
const FOUND_COLUMNS = 'payload, consumed_at AS consumed, note, ended'

export type SqliteStatements = ReturnType<typeof prepareAll>

/**
 * Prepares the statements once for the life of the database, because parsing would cost more than
 * running. `?1` is the time in milliseconds, `?2` the model and `?3` the key, unless noted
 * otherwise.
 */
export function prepareAll(database: DatabaseSync) {
  const live = '(expires_at IS NULL OR expires_at > ?1)'
  const record = `model = ?2 AND id = ?3 AND ${live}`
  const read = (column: string) =>
    database.prepare(
      `SELECT ${FOUND_COLUMNS} FROM oidc_records WHERE model = ?2 AND ${column} = ?3 AND ${live}
       ORDER BY expires_at IS NULL DESC, expires_at DESC LIMIT 1`,
    )
  const now = 'CAST(?1 / 1000 AS INTEGER)'
  const nextTurn = '(SELECT last + 1 FROM oidc_turns)'
  return {
    // a live record that is consumed or has ended stays so when it is replaced
    upsert: database.prepare(
      `INSERT INTO oidc_records
         (model, id, payload, uid, user_code, grant_id, consumed_at, expires_at,
          account_id, client_id, actor, issued_at, status_list, status_index)
       VALUES (?2, ?3, ?4, ?5, ?6, ?7, nullif(CAST(?8 AS INTEGER), 0), ?1 + ?9,
          ?10, ?11, ?12, ?13, ?14, ?15)
       ON CONFLICT (model, id) DO UPDATE SET
         ${replaceAssignments(live)},
         ended_index = CASE WHEN ${live} AND ended IS NOT NULL THEN excluded.status_index END,
         ended_turn = CASE WHEN ${live} AND ended IS NOT NULL THEN ${nextTurn} END`,
    ),
    find: read('id'),
    findByUid: read('uid'),
    findByUserCode: read('user_code'),
    consume: database.prepare(`UPDATE oidc_records SET consumed_at = ${now} WHERE ${record}`),
    /** `?4` the note, `?5` its actor. */
    consumeOnce: database.prepare(
      `UPDATE oidc_records
       SET consumed_at = ${now}, note = ?4, note_actor = ?5, actor = coalesce(?5, actor)
       WHERE ${record} AND consumed_at IS NULL AND ended IS NULL`,
    ),
    /** `?4` the end. */
    endOnce: database.prepare(
      `UPDATE oidc_records SET ended = ?4, ended_index = status_index, ended_turn = ${nextTurn}
       WHERE ${record} AND ended IS NULL`,
    ),
    // Takes the time as the others do, although it decides nothing here.
    destroy: database.prepare(
      'DELETE FROM oidc_records WHERE ?1 IS NOT NULL AND model = ?2 AND id = ?3',
    ),
    revokeByGrantId: database.prepare(
      'DELETE FROM oidc_records WHERE ?1 IS NOT NULL AND model = ?2 AND grant_id = ?3',
    ),
    /** `?1` the list, `?2` the turn after which it begins, `?3` the largest number. */
    endedAfter: database.prepare(
      `SELECT ended_index, ended_turn FROM oidc_records INDEXED BY oidc_records_ended
       WHERE status_list = ?1 AND ended_index IS NOT NULL AND ended_turn > ?2
       ORDER BY ended_turn LIMIT ?3`,
    ),
    // IS NOT NULL names the condition of the index. Without it, SQLite prepares the statement anew
    // each time, to check whether the bound value implies it
    deleteExpired: database.prepare(
      `DELETE FROM oidc_records WHERE rowid IN
       (SELECT rowid FROM oidc_records WHERE expires_at IS NOT NULL AND expires_at <= ?1
        ORDER BY expires_at LIMIT ?2)`,
    ),
  }
}

/**
 * `?1` the time, `?2` the model, `?3` the largest number, `?4` on the values of the conditions.
 *
 * @param index - the index of the filter's column
 */
export function prepareList(
  database: DatabaseSync,
  index: string,
  conditions: string,
): StatementSync {
  // INDEXED BY, because without statistics SQLite may take another
  return database.prepare(
    `SELECT ${FOUND_COLUMNS} FROM oidc_records INDEXED BY oidc_records_${index}
     WHERE model = ?2 AND account_id IS NOT NULL AND (expires_at IS NULL OR expires_at > ?1)${conditions}
     ORDER BY issued_at DESC, id DESC LIMIT ?3`,
  )
}
