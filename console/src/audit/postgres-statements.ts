import { CHECKPOINT, ENTRY, LOCK, ROW, WRITER } from './postgres-schema.ts'
import { ROW_COLUMNS } from './row-columns.ts'

const columns = ROW_COLUMNS.map(([name]) => name)
const record = ROW_COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')
const replaced = columns.filter((name) => name !== 'id').map((name) => `${name} = excluded.${name}`)

/**
 * Has a row only for a batch that is not written yet. Of two that write the same batch, the second
 * waits for the first. `$1` writer, `$2` number of the batch, `$3` and `$4` sequence and hash of its
 * last link, or null.
 */
export const CLAIM = `
WITH turn AS MATERIALIZED (SELECT ${LOCK})
INSERT INTO ${WRITER} AS stored (writer, batch, sequence, hash)
SELECT $1, $2::bigint, $3::bigint, $4 FROM turn
ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch,
  sequence = coalesce(excluded.sequence, stored.sequence),
  hash = coalesce(excluded.hash, stored.hash)
  WHERE stored.batch < excluded.batch
RETURNING 1`

/** `$1` ids. */
export const STORED_ROWS = `SELECT data FROM ${ROW} WHERE id = ANY($1::text[])`

/** `$1` writer, `$2` entries, `$3` counts, `$4` rows: each a JSON array. */
export const WRITE = `
WITH entries AS (
  INSERT INTO ${ENTRY}
    (writer, sequence, digest, hash, text, row_id, repeat_key, time, count, last_time)
  SELECT $1, sequence, digest, hash, text, row_id, repeat_key, time, count, last_time
  FROM json_to_recordset($2::json) AS new (sequence bigint, digest text, hash text, text text,
    row_id text, repeat_key text, time bigint, count bigint, last_time bigint)
  ORDER BY sequence
), counts AS (
  UPDATE ${ENTRY} AS stored SET count = stored.count + more.count,
    last_time = greatest(stored.last_time, stored.time, more.last_time)
  FROM json_to_recordset($3::json) AS more (repeat_key text, count bigint, last_time bigint),
    LATERAL (SELECT id FROM ${ENTRY} WHERE repeat_key = more.repeat_key
      ORDER BY id DESC LIMIT 1) AS place
  WHERE stored.id = place.id
)
INSERT INTO ${ROW} (${columns.join(', ')})
SELECT ${columns.join(', ')} FROM json_to_recordset($4::json) AS new (${record})
ON CONFLICT (id) DO UPDATE SET ${replaced.join(', ')}`

/** Of entries. A bigint arrives as text: as a float, it is a number, and exact below 2^53. */
export const ENTRY_COLUMNS = `id::text AS cursor, writer, sequence::float8, hash, digest, text,
  row_id, count::float8, last_time::float8`

export const ENTRIES = `SELECT ${ENTRY_COLUMNS} FROM ${ENTRY} WHERE id > $1 ORDER BY id LIMIT $2`

/** A plan for any row, which a connection keeps, uses the index of rows as well. */
export const TIMELINE = `
SELECT ${ENTRY_COLUMNS} FROM ${ENTRY} WHERE row_id = $1 AND id > $2 ORDER BY row_id, id LIMIT $3`

export const HEADS = `
SELECT writer, sequence::float8, hash FROM ${WRITER} WHERE sequence IS NOT NULL ORDER BY writer`

/** `$1` the time, `$2` the limit. The lock is held: what is removed is what no batch changes. */
export const REMOVE = `
WITH gone AS (
  DELETE FROM ${ROW} WHERE id IN (
    SELECT id FROM ${ROW} WHERE held_at IS NULL AND last_at < $1 ORDER BY last_at LIMIT $2)
  RETURNING id
), of_rows AS (
  UPDATE ${ENTRY} SET text = NULL, row_id = NULL, repeat_key = NULL
  WHERE row_id IN (SELECT id FROM gone) RETURNING 1
), alone AS (
  UPDATE ${ENTRY} SET text = NULL, repeat_key = NULL WHERE id IN (
    SELECT id FROM ${ENTRY} WHERE row_id IS NULL AND text IS NOT NULL AND time < $1
      AND coalesce(last_time, time) < $1 ORDER BY time LIMIT $2)
  RETURNING 1
)
SELECT ((SELECT count(*) FROM gone) + (SELECT count(*) FROM of_rows)
  + (SELECT count(*) FROM alone))::float8 AS removed`

export const REMOVED = `
WITH removed AS (
  SELECT writer, max(sequence) AS up_to FROM ${ENTRY} WHERE text IS NULL GROUP BY writer)
SELECT removed.writer, removed.up_to::float8, coalesce(
  json_agg(kept.sequence ORDER BY kept.sequence) FILTER (WHERE kept.sequence IS NOT NULL), '[]'
)::text AS except
FROM removed LEFT JOIN ${ENTRY} AS kept ON kept.writer = removed.writer
  AND kept.sequence <= removed.up_to AND kept.text IS NOT NULL
GROUP BY removed.writer, removed.up_to ORDER BY removed.writer`

export const KEEP_CHECKPOINT = `INSERT INTO ${CHECKPOINT} (time, jws) VALUES ($1, $2)`

export const CHECKPOINTS = `SELECT jws FROM ${CHECKPOINT} ORDER BY time DESC, id DESC LIMIT $1`
