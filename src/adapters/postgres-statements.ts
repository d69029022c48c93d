/** The SQL of every adapter method. `$1` is the model and `$2` the key, where nothing else is said. */
export type PostgresStatements = ReturnType<typeof statements>

/** @param table the quoted name */
export function statements(table: string) {
  const live = '(expires_at IS NULL OR expires_at > now())'
  const read = (column: string) => `
    SELECT payload, extract(epoch FROM consumed_at)::float8 AS consumed
    FROM ${table} WHERE model = $1 AND ${column} = $2 AND ${live}`
  // a uid whose session moved to another id: the one that lives longest is the latest
  const latest = 'ORDER BY expires_at DESC NULLS FIRST LIMIT 1'

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

    destroy: `DELETE FROM ${table} WHERE model = $1 AND id = $2`,
    revokeByGrantId: `DELETE FROM ${table} WHERE model = $1 AND grant_id = $2`,

    /** `$1` is how many at most. */
    deleteExpired: `
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${table} WHERE expires_at <= now()
        ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
  }
}
