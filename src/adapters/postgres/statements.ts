import { replaceAssignments } from '../sql.ts'
import type { PostgresResult } from './client.ts'

const live = '(expires_at IS NULL OR expires_at > now())'
/** The columns of a record that are read. */
const FOUND_COLUMNS = 'payload, extract(epoch FROM consumed_at)::float8 AS consumed, note, ended'

/**
 * Equivalent to `pg_current_xact_id()`, which PostgreSQL 12 does not have, as a comparable number.
 */
const CURRENT_XID = 'txid_current()'

const UPSERT_COLUMNS = `(model, id, payload, uid, user_code, grant_id, consumed_at, expires_at,
        account_id, client_id, actor, issued_at, status_list, status_index)`

/** The SQL of every adapter method. `$1` is the model and `$2` the key, unless noted otherwise. */
export type PostgresStatements = ReturnType<typeof statements>

/** Runs a statement, prepared if configured. */
export type RunStatement = (
  statement: keyof PostgresStatements,
  values: unknown[],
) => Promise<PostgresResult>

/** @param table - the quoted name */
export function statements(table: string) {
  const storedLive = '(stored.expires_at IS NULL OR stored.expires_at > now())'
  const read = (column: string) =>
    `SELECT ${FOUND_COLUMNS} FROM ${table} WHERE model = $1 AND ${column} = $2 AND ${live}`
  // a session may have moved its uid to another id, and the record that lives longest is the
  // latest
  const latest = 'ORDER BY expires_at DESC NULLS FIRST LIMIT 1'

  // A live record that is consumed or ended stays so. Behind a consumption that is not committed
  // yet this waits, and then sees the row as the consumption left it.
  const replace = `ON CONFLICT (model, id) DO UPDATE SET
        ${replaceAssignments(storedLive, 'stored.')},
        ended_xid = CASE WHEN ${storedLive} AND stored.ended IS NOT NULL THEN ${CURRENT_XID} END`
  return {
    check: `
      SELECT obj_description('${table}'::regclass, 'pg_class') AS comment,
        (SELECT 1 FROM ${table} LIMIT 0)`,

    /**
     * `$3` payload, `$4` to `$6` uid, user code, grant, `$7` consumed in s, `$8` life in ms, `$9`
     * to `$11` account, client, actor, `$12` issued in s, `$13` and `$14` list, index.
     */
    upsert: `
      INSERT INTO ${table} AS stored ${UPSERT_COLUMNS}
      VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8),
        now() + $8::float8 * interval '1 millisecond', $9, $10, $11, $12, $13, $14)
      ${replace}`,

    /**
     * The values of upsert as arrays. Rows are locked in the order of their ids, so that two
     * groups never wait for each other in a circle.
     */
    upsertAll: `
      INSERT INTO ${table} AS stored ${UPSERT_COLUMNS}
      SELECT $1, id, payload, uid, user_code, grant_id, to_timestamp(consumed),
        now() + life * interval '1 millisecond',
        account_id, client_id, actor, issued_at, status_list, status_index
      FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::float8[],
          $8::float8[], $9::text[], $10::text[], $11::text[], $12::bigint[], $13::text[],
          $14::bigint[])
        AS asked (id, payload, uid, user_code, grant_id, consumed,
          life, account_id, client_id, actor, issued_at, status_list,
          status_index)
      ORDER BY id COLLATE "C"
      ${replace}`,

    find: read('id'),
    findByUid: `${read('uid')} ${latest}`,
    findByUserCode: `${read('user_code')} ${latest}`,

    consume: `
      UPDATE ${table} SET consumed_at = date_trunc('second', now())
      WHERE model = $1 AND id = $2 AND ${live}`,

    /**
     * `$3` the note, `$4` its actor. The second caller waits for the first to commit, reads the
     * row again and, under READ COMMITTED, finds the condition false. Under stricter levels the
     * database refuses.
     */
    consumeOnce: `
      UPDATE ${table} SET consumed_at = date_trunc('second', now()), note = $3, note_actor = $4,
        actor = coalesce($4, actor)
      WHERE model = $1 AND id = $2 AND consumed_at IS NULL AND ended IS NULL AND ${live}`,

    /** `$3` the end. */
    endOnce: `
      UPDATE ${table} SET ended = $3, ended_xid = ${CURRENT_XID}
      WHERE model = $1 AND id = $2 AND ended IS NULL AND ${live}`,

    destroy: `DELETE FROM ${table} WHERE model = $1 AND id = $2`,

    /** `$2` the grant. It locks in the order of groups. */
    revokeByGrantId: `
      DELETE FROM ${table} WHERE model = $1 AND id = ANY(ARRAY(
        SELECT id FROM ${table} WHERE model = $1 AND grant_id = $2 ORDER BY id FOR UPDATE))`,

    /**
     * The ends in a list, from a transaction on. `$1` the list, `$2` the transaction. The index is
     * enough. A whole list is 2^20 indices, read after a start, while guards wait, so it comes in
     * no order, and in 8 bytes each. `oldest` is the oldest transaction that is under way. Those
     * before it are over, and this sees their writes.
     */
    endedSince: `
      SELECT encode(string_agg(int8send(status_index), ''::bytea), 'base64') AS indices,
        count(status_index)::int AS found,
        txid_snapshot_xmin(txid_current_snapshot())::text AS oldest,
        extract(epoch FROM pg_postmaster_start_time())::text AS server
      FROM ${table} WHERE status_list = $1 AND ended_xid >= $2::bigint`,

    /** `$1` is the largest number. */
    deleteExpired: `
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${table} WHERE expires_at <= now()
        ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
  }
}

/** `$1` the model, `$2` the largest number, `$3` on the values of the conditions. */
export function listStatement(table: string, conditions: string): string {
  return `SELECT ${FOUND_COLUMNS} FROM ${table}
    WHERE model = $1 AND account_id IS NOT NULL AND ${live}${conditions}
    ORDER BY issued_at DESC, id DESC LIMIT $2`
}
