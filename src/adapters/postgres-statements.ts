const live = '(expires_at IS NULL OR expires_at > now())'
/** When a record was consumed that ended first. */
const NEVER = 'to_timestamp(0)'
/** What `find` and `list` read of a subject token. */
const LISTED = 'payload, extract(epoch FROM consumed_at)::float8 AS consumed, note, ended'

/** What `upsert` writes of a subject token. */
const LISTED_COLUMNS = `(model, id, payload, uid, user_code, grant_id, consumed_at, expires_at,
        account_id, client_id, actor, issued_at, status_list, status_index)`

/** The SQL of every adapter method. `$1` is the model and `$2` the key, where nothing else is said. */
export type PostgresStatements = ReturnType<typeof statements>

/** @param table the quoted name */
export function statements(table: string) {
  const storedLive = '(stored.expires_at IS NULL OR stored.expires_at > now())'
  const read = (column: string) => `
    SELECT payload, extract(epoch FROM consumed_at)::float8 AS consumed
    FROM ${table} WHERE model = $1 AND ${column} = $2 AND ${live}`
  // a uid whose session moved to another id: the one that lives longest is the latest
  const latest = 'ORDER BY expires_at DESC NULLS FIRST LIMIT 1'

  const replaceListed = `ON CONFLICT (model, id) DO UPDATE SET
        payload = EXCLUDED.payload, uid = EXCLUDED.uid, user_code = EXCLUDED.user_code,
        grant_id = EXCLUDED.grant_id, expires_at = EXCLUDED.expires_at,
        account_id = EXCLUDED.account_id, client_id = EXCLUDED.client_id,
        issued_at = EXCLUDED.issued_at, status_list = EXCLUDED.status_list,
        status_index = EXCLUDED.status_index,
        consumed_at = CASE WHEN ${storedLive}
          THEN coalesce(nullif(stored.consumed_at, ${NEVER}), EXCLUDED.consumed_at, stored.consumed_at)
          ELSE EXCLUDED.consumed_at END,
        note = CASE WHEN ${storedLive} THEN stored.note END,
        note_actor = CASE WHEN ${storedLive} THEN stored.note_actor END,
        actor = coalesce(CASE WHEN ${storedLive} THEN stored.note_actor END, EXCLUDED.actor),
        ended = CASE WHEN ${storedLive} THEN stored.ended END`

  return {
    /**
     * `$3` payload, `$4` to `$6` uid, user code, grant, `$7` consumed in s, `$8` life in ms. What
     * is live and consumed stays consumed: behind a consumption that is not committed yet this waits,
     * and then sees the row as the consumption left it.
     */
    upsert: `
      INSERT INTO ${table} AS stored
        (model, id, payload, uid, user_code, grant_id, consumed_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8),
        now() + $8::float8 * interval '1 millisecond')
      ON CONFLICT (model, id) DO UPDATE SET
        payload = EXCLUDED.payload, uid = EXCLUDED.uid, user_code = EXCLUDED.user_code,
        grant_id = EXCLUDED.grant_id, expires_at = EXCLUDED.expires_at,
        consumed_at = coalesce(
          CASE WHEN stored.expires_at IS NULL OR stored.expires_at > now()
            THEN stored.consumed_at END,
          EXCLUDED.consumed_at)`,

    find: read('id'),
    findByUid: `${read('uid')} ${latest}`,
    findByUserCode: `${read('user_code')} ${latest}`,

    consume: `
      UPDATE ${table} SET consumed_at = date_trunc('second', now())
      WHERE model = $1 AND id = $2 AND ${live}`,

    // The second caller waits for the first to commit, looks at the row again and, under
    // READ COMMITTED, finds the condition false. Under stricter levels the database refuses.
    consumeOnce: `
      UPDATE ${table} SET consumed_at = date_trunc('second', now())
      WHERE model = $1 AND id = $2 AND consumed_at IS NULL AND ${live}
      RETURNING 1`,

    /** `$1` the models and `$2` the ids. Each pair is looked up by the index, also on an empty table. */
    findAll: `
      SELECT asked.place::int, stored.*
      FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (model, id, place),
        LATERAL (SELECT payload, extract(epoch FROM consumed_at)::float8 AS consumed FROM ${table}
          WHERE model = asked.model AND id = asked.id AND ${live} OFFSET 0) AS stored`,

    destroy: `DELETE FROM ${table} WHERE model = $1 AND id = $2`,
    revokeByGrantId: `DELETE FROM ${table} WHERE model = $1 AND grant_id = $2`,

    check: `
      SELECT account_id, client_id, actor, issued_at, status_list, status_index, note, note_actor,
        ended, uid, user_code, grant_id, consumed_at, expires_at, payload, id
      FROM ${table} WHERE model = $1 LIMIT 0`,

    /** As upsert; `$9` to `$11` account, client, actor, `$12` issued in s, `$13` and `$14` list, index. */
    upsertListed: `
      INSERT INTO ${table} AS stored ${LISTED_COLUMNS}
      VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8),
        now() + $8::float8 * interval '1 millisecond', $9, $10, $11, $12, $13, $14)
      ${replaceListed}`,

    findListed: `
      SELECT ${LISTED} FROM ${table} WHERE model = $1 AND id = $2 AND ${live}`,

    /**
     * `$2` the ids, each of which is looked up by the index: a plan that was made while the table
     * was empty, and is kept by the connection, would read all rows of the model for `id = ANY`.
     */
    findListedAll: `
      SELECT stored.* FROM unnest($2::text[]) AS asked (id),
        LATERAL (SELECT id, ${LISTED} FROM ${table}
          WHERE model = $1 AND id = asked.id AND ${live} OFFSET 0) AS stored`,

    /**
     * The values of upsertListed as arrays, `null` for a column that is empty. Rows are locked in
     * the order of their ids, so that two groups never wait for each other in a circle.
     */
    upsertListedAll: `
      INSERT INTO ${table} AS stored ${LISTED_COLUMNS}
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
      ${replaceListed}`,

    /** As consumeOnce; `$3` the note, `$4` its actor. */
    consumeListed: `
      UPDATE ${table} SET consumed_at = date_trunc('second', now()), note = $3, note_actor = $4,
        actor = coalesce($4, actor)
      WHERE model = $1 AND id = $2 AND consumed_at IS NULL AND ended IS NULL AND ${live}
      RETURNING 1`,

    /**
     * `$2` the ids, `$3` the notes, `$4` their actors. A row that another transaction holds is left
     * out, like one that is consumed. A row that it locks is looked at again, so what was committed
     * meanwhile counts. For a row that was updated a moment ago PostgreSQL may wait in spite of
     * SKIP LOCKED ("while locking updated version"), hence the same order as in the other groups.
     */
    consumeListedAll: `
      WITH locked AS (
        SELECT free.id
        FROM (SELECT id FROM unnest($2::text[]) AS ids (id) ORDER BY id COLLATE "C") AS asked,
          LATERAL (SELECT id FROM ${table}
            WHERE model = $1 AND id = asked.id AND consumed_at IS NULL AND ended IS NULL AND ${live}
            FOR UPDATE SKIP LOCKED) AS free)
      UPDATE ${table} AS stored SET consumed_at = date_trunc('second', now()), note = asked.note,
        note_actor = asked.actor, actor = coalesce(asked.actor, stored.actor)
      FROM locked JOIN unnest($2::text[], $3::text[], $4::text[]) AS asked (id, note, actor)
        ON asked.id = locked.id
      WHERE stored.model = $1 AND stored.id = locked.id AND stored.consumed_at IS NULL
        AND stored.ended IS NULL AND ${storedLive}
      RETURNING stored.id`,

    /** As revokeByGrantId, but in the order in which groups lock. */
    revokeListed: `
      DELETE FROM ${table} WHERE model = $1 AND id = ANY(ARRAY(
        SELECT id FROM ${table} WHERE model = $1 AND grant_id = $2 ORDER BY id FOR UPDATE))`,

    /** `$3` the end. The time of a consumption that never was keeps the version before from one. */
    endOnce: `
      UPDATE ${table} SET ended = $3, consumed_at = coalesce(consumed_at, ${NEVER})
      WHERE model = $1 AND id = $2 AND ended IS NULL AND ${live}
      RETURNING 1`,

    /** `$2` the list. */
    endedIndices: `
      SELECT DISTINCT status_index FROM ${table}
      WHERE model = $1 AND status_list = $2 AND ended IS NOT NULL AND status_index IS NOT NULL
        AND ${live}`,

    /** `$1` is how many at most. */
    deleteExpired: `
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${table} WHERE expires_at <= now()
        ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
  }
}

const COLUMNS = { accountId: 'account_id', actor: 'actor', clientId: 'client_id' } as const

/** `$1` the model, `$2` how many, `$3` on what is looked up by, then the place to go on from. */
export function listStatement(
  table: string,
  lookUps: readonly (keyof typeof COLUMNS)[],
  continued: boolean,
): string {
  const conditions = lookUps.map((name, i) => ` AND ${COLUMNS[name]} = $${i + 3}`)
  if (continued) {
    const at = lookUps.length + 3
    conditions.push(` AND (issued_at, id) < ($${at}::bigint, $${at + 1})`)
  }
  return `SELECT ${LISTED} FROM ${table}
    WHERE model = $1 AND account_id IS NOT NULL AND ${live}${conditions.join('')}
    ORDER BY issued_at DESC, id DESC LIMIT $2`
}
