import { ROW_COLUMNS } from './row-columns.ts'
import { CHECKPOINT, ENTRY, ROW, WRITER } from './sqlite-database.ts'

// Each value has a `?` of its own: node:sqlite of Node 22.13 to 22.19 takes no values for `?1`, and
// named parameters differ between its versions.

const columns = ROW_COLUMNS.map(([name]) => name)
const replaced = columns.filter((name) => name !== 'id').map((name) => `${name} = excluded.${name}`)

/** Changes a row only for a batch that is not written yet. Writer, number, sequence, hash. */
export const CLAIM = `
INSERT INTO ${WRITER} (writer, batch, sequence, hash) VALUES (?, ?, ?, ?)
ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch,
  sequence = coalesce(excluded.sequence, sequence), hash = coalesce(excluded.hash, hash)
  WHERE batch < excluded.batch`

export const STORED_ROW = `SELECT data FROM ${ROW} WHERE id = ?`

export const WRITE_ENTRY = `
INSERT INTO ${ENTRY} (writer, sequence, digest, hash, text, row_id, repeat_key, time, count, last_time)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Count, time of the last event, repeat key. */
export const WRITE_COUNT = `
UPDATE ${ENTRY} SET count = count + ?, last_time = max(coalesce(last_time, time), ?)
WHERE id = (SELECT max(id) FROM ${ENTRY} WHERE repeat_key = ?)`

export const WRITE_ROW = `
INSERT INTO ${ROW} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
ON CONFLICT (id) DO UPDATE SET ${replaced.join(', ')}`

const ENTRY_COLUMNS = `CAST(id AS TEXT) AS cursor, writer, sequence, hash, digest, text, row_id,
  count, last_time`

export const ENTRIES = `SELECT ${ENTRY_COLUMNS} FROM ${ENTRY} WHERE id > ? ORDER BY id LIMIT ?`

export const TIMELINE = `
SELECT ${ENTRY_COLUMNS} FROM ${ENTRY} WHERE row_id = ? AND id > ? ORDER BY id LIMIT ?`

export const NEWEST = `SELECT CAST(max(id) AS TEXT) AS cursor FROM ${ENTRY} HAVING max(id) IS NOT NULL`

export const HEADS = `
SELECT writer, sequence, hash FROM ${WRITER} WHERE sequence IS NOT NULL ORDER BY writer`

/** Time, limit. */
export const OLD_ROWS = `
SELECT id FROM ${ROW} WHERE held_at IS NULL AND last_at < ? ORDER BY last_at LIMIT ?`

export const REMOVE_ROW = `DELETE FROM ${ROW} WHERE id = ?`

export const REMOVE_ENTRIES = `
UPDATE ${ENTRY} SET text = NULL, row_id = NULL, repeat_key = NULL WHERE row_id = ?`

/** Entries without a row. Time, time, limit. */
export const REMOVE_ALONE = `
UPDATE ${ENTRY} SET text = NULL, repeat_key = NULL WHERE id IN (
  SELECT id FROM ${ENTRY} WHERE row_id IS NULL AND text IS NOT NULL AND time < ?
    AND coalesce(last_time, time) < ? ORDER BY time LIMIT ?)`

export const REMOVED = `
WITH removed AS (
  SELECT writer, max(sequence) AS up_to FROM ${ENTRY} WHERE text IS NULL GROUP BY writer)
SELECT writer, up_to, (
  SELECT json_group_array(sequence) FROM (
    SELECT sequence FROM ${ENTRY} AS kept WHERE kept.writer = removed.writer
      AND kept.sequence <= removed.up_to AND kept.text IS NOT NULL ORDER BY sequence)
) AS "except" FROM removed ORDER BY writer`

export const KEEP_CHECKPOINT = `INSERT INTO ${CHECKPOINT} (time, jws) VALUES (?, ?)`

export const CHECKPOINTS = `SELECT jws FROM ${CHECKPOINT} ORDER BY time DESC, id DESC LIMIT ?`
