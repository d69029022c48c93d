// The tables of version 0.1.0 and some of its statements, as they were: its processes go on using a
// storage that this version has migrated.

const LIVE = {
  postgres: '(expires_at IS NULL OR expires_at > now())',
  sqlite: '(expires_at IS NULL OR expires_at > ?3)',
}

export const postgresBefore = (table: string) => ({
  schema: `
    CREATE TABLE ${table} (
      model       text COLLATE "C" NOT NULL,
      id          text COLLATE "C" NOT NULL,
      payload     text NOT NULL,
      uid         text COLLATE "C",
      user_code   text COLLATE "C",
      grant_id    text COLLATE "C",
      consumed_at timestamptz,
      expires_at  timestamptz,
      PRIMARY KEY (model, id)
    ) WITH (fillfactor = 80);
    CREATE INDEX oidc_records_uid_idx ON ${table} (model, uid) WHERE uid IS NOT NULL;
    CREATE INDEX oidc_records_user_code_idx ON ${table} (model, user_code)
      WHERE user_code IS NOT NULL;
    CREATE INDEX oidc_records_grant_id_idx ON ${table} (model, grant_id) WHERE grant_id IS NOT NULL;
    CREATE INDEX oidc_records_expires_at_idx ON ${table} (expires_at) WHERE expires_at IS NOT NULL`,
  /** `$1` the id, `$2` the payload. */
  upsert: `
    INSERT INTO ${table} AS stored
      (model, id, payload, uid, user_code, grant_id, consumed_at, expires_at)
    VALUES ('SubjectToken', $1, $2, NULL, NULL, NULL, NULL, now() + interval '10 minutes')
    ON CONFLICT (model, id) DO UPDATE SET
      payload = EXCLUDED.payload, uid = EXCLUDED.uid, user_code = EXCLUDED.user_code,
      grant_id = EXCLUDED.grant_id, expires_at = EXCLUDED.expires_at,
      consumed_at = coalesce(
        CASE WHEN stored.expires_at IS NULL OR stored.expires_at > now()
          THEN stored.consumed_at END,
        EXCLUDED.consumed_at)`,
  find: `
    SELECT payload, extract(epoch FROM consumed_at)::float8 AS consumed
    FROM ${table} WHERE model = 'SubjectToken' AND id = $1 AND ${LIVE.postgres}`,
  consumeOnce: `
    UPDATE ${table} SET consumed_at = date_trunc('second', now())
    WHERE model = 'SubjectToken' AND id = $1 AND consumed_at IS NULL AND ${LIVE.postgres}
    RETURNING 1`,
})

export const sqliteBefore = {
  schema: `
    PRAGMA journal_mode = WAL;
    CREATE TABLE oidc_records (
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
    CREATE INDEX oidc_records_uid ON oidc_records (model, uid) WHERE uid IS NOT NULL;
    CREATE INDEX oidc_records_user_code ON oidc_records (model, user_code)
      WHERE user_code IS NOT NULL;
    CREATE INDEX oidc_records_grant_id ON oidc_records (model, grant_id)
      WHERE grant_id IS NOT NULL;
    CREATE INDEX oidc_records_expires_at ON oidc_records (expires_at)
      WHERE expires_at IS NOT NULL;
    PRAGMA user_version = 1`,
  /** The model, the id, the payload, when it expires (ms), now. */
  upsert: `
    INSERT INTO oidc_records
      (model, id, payload, uid, user_code, grant_id, consumed_at, expires_at)
    VALUES (?1, ?2, ?3, NULL, NULL, NULL, NULL, ?4)
    ON CONFLICT (model, id) DO UPDATE SET
      payload = excluded.payload, uid = excluded.uid, user_code = excluded.user_code,
      grant_id = excluded.grant_id, expires_at = excluded.expires_at,
      consumed_at = coalesce(
        CASE WHEN expires_at IS NULL OR expires_at > ?5 THEN consumed_at END,
        excluded.consumed_at)`,
  /** The model, the id, now. */
  find: `SELECT payload, consumed_at FROM oidc_records
    WHERE model = ?1 AND id = ?2 AND ${LIVE.sqlite}
    ORDER BY expires_at IS NULL DESC, expires_at DESC LIMIT 1`,
  /** The model, the id, now, now in seconds. */
  consumeOnce: `UPDATE oidc_records SET consumed_at = ?4
    WHERE model = ?1 AND id = ?2 AND ${LIVE.sqlite} AND consumed_at IS NULL`,
  /** The model, the id. */
  destroy: 'DELETE FROM oidc_records WHERE model = ? AND id = ?',
}
