import { ERASED_EVENT, ERASING_EVENT } from 'oidc-provider-impersonation-verify/format'
import type { SqlDialect } from './dialect.ts'
import {
  CHECKPOINT_TABLE,
  DATA_COLUMNS,
  ENTRY_COLUMNS,
  ENTRY_TABLE,
  PERMIT_TABLE,
  REMOVED_COLUMNS,
  REMOVED_TABLE,
  ROW_TABLE,
  WRITER_TABLE,
} from './tables.ts'

// Each value has a `?` of its own: node:sqlite of Node 22.13 to 22.19 takes no values for `?1`.

const namesOf = (columns: readonly (readonly [name: string, type: string])[]) =>
  columns.map(([name]) => name).join(', ')

/** A bigint of pg arrives as text. As a float it is a number, and exact below 2^53. */
export const asNumber = (name: string) => `CAST(${name} AS float8) AS ${name}`

/** Of entries that are read. */
const READ_ENTRY = `CAST(id AS text) AS cursor, writer, ${asNumber('sequence')}, hash, digest, text,
  row_id, ${asNumber('count')}, ${asNumber('last_time')}`

const READ_DATA = 'CAST(data AS text) AS data'

/** Of permits. The clocks of two processes differ: the order in which they were stored decides. */
const firstEntryOf = (permit: string) =>
  `(SELECT min(entry.id) FROM ${ENTRY_TABLE} AS entry WHERE entry.row_id = ${permit}.id)`

export function statementsOf({ functions, json, texts, isIn, locked, recordsOf }: SqlDialect) {
  const { greater, jsonArray, jsonTuple } = functions
  const edges = `${recordsOf([
    ['writer', 'text'],
    ['before', 'bigint'],
    ['after', 'bigint'],
  ])} AS edges`
  /** Of each row or permit, the entries that it is the sum of, by the same statement. */
  const namedEntries = `CAST(coalesce((
  SELECT ${jsonArray}(${jsonTuple}(writer, sequence, count, last_time)) FROM (
    SELECT writer, sequence, count, last_time FROM ${ENTRY_TABLE} AS entry
    WHERE entry.row_id = filed.id ORDER BY entry.row_id, entry.id) AS named
), '[]') AS text) AS entries`
  return {
    /**
     * Has a row only for a batch that is not written yet. Writer, number of the batch, sequence and
     * hash of its last link, or null.
     */
    writeBatch: `
INSERT INTO ${WRITER_TABLE} AS stored (writer, batch, sequence, hash) VALUES (?, ?, ?, ?)
ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch,
  sequence = coalesce(excluded.sequence, stored.sequence),
  hash = coalesce(excluded.hash, stored.hash)
  WHERE stored.batch < excluded.batch
RETURNING writer`,

    /** Repeat keys. */
    storedKeys: `
SELECT repeat_key FROM ${ENTRY_TABLE} WHERE ${isIn('repeat_key', texts)} ${locked.wait}`,

    /** Ids. */
    storedRows: `SELECT ${READ_DATA} FROM ${ROW_TABLE} WHERE ${isIn('id', texts)}`,

    /** Ids. */
    lockedRows: `SELECT ${READ_DATA} FROM ${ROW_TABLE} WHERE ${isIn('id', texts)} ${locked.wait}`,

    /** Writer, entries. */
    writeEntries: `
INSERT INTO ${ENTRY_TABLE} (writer, ${namesOf(ENTRY_COLUMNS)})
SELECT CAST(? AS text), ${namesOf(ENTRY_COLUMNS)} FROM ${recordsOf(ENTRY_COLUMNS)} AS new
ORDER BY sequence`,

    /** Counts. */
    writeCounts: `
UPDATE ${ENTRY_TABLE} AS stored SET count = stored.count + more.count,
  last_time = ${greater}(coalesce(stored.last_time, stored.time), more.last_time)
FROM ${recordsOf([
      ['repeat_key', 'text'],
      ['count', 'bigint'],
      ['last_time', 'bigint'],
    ])} AS more WHERE stored.repeat_key = more.repeat_key`,

    /** Rows. */
    writeRows: `
INSERT INTO ${ROW_TABLE} AS stored (id, version, data)
SELECT id, 1, ${json} FROM ${recordsOf(DATA_COLUMNS)} AS new WHERE true
ON CONFLICT (id) DO UPDATE SET version = stored.version + 1, data = excluded.data`,

    // As a derived table, so that the entries are read of those rows alone that are found.
    /** Rows from an id on, after it, or with it. Id, limit. */
    filedRows: (comparison: '=' | '>' | '>=') => `
SELECT filed.*, ${namedEntries} FROM (
  SELECT id, ${READ_DATA} FROM ${ROW_TABLE} WHERE id ${comparison} ? ORDER BY id LIMIT ?
) AS filed ORDER BY filed.id`,

    /** The values of the condition, limit. */
    filedPermits: (where: string, order: string) => `
SELECT data, ${namedEntries} FROM (
  SELECT id, at, ${READ_DATA} FROM ${PERMIT_TABLE} WHERE ${where} ORDER BY ${order} LIMIT ?
) AS filed ORDER BY filed.at DESC, filed.id DESC`,

    /** Id, limit. */
    entries: `SELECT ${READ_ENTRY} FROM ${ENTRY_TABLE} WHERE id > ? ORDER BY id LIMIT ?`,

    // A plan for any row, which a connection of PostgreSQL keeps, uses the index of rows as well.
    /** Row, id, limit. */
    timeline: `
SELECT ${READ_ENTRY} FROM ${ENTRY_TABLE} WHERE row_id = ? AND id > ? ORDER BY row_id, id LIMIT ?`,

    /** Rows with their places, id, limit. */
    timelines: `
SELECT ${READ_ENTRY} FROM ${recordsOf([
      ['place', 'bigint'],
      ['wanted', 'text'],
    ])} AS rows JOIN ${ENTRY_TABLE} ON row_id = wanted
WHERE place > 0 OR id > ? ORDER BY place, id LIMIT ?`,

    newest: `SELECT CAST(id AS text) AS cursor FROM ${ENTRY_TABLE} ORDER BY id DESC LIMIT 1`,

    heads: `
SELECT writer, ${asNumber('sequence')}, hash FROM ${WRITER_TABLE} WHERE sequence IS NOT NULL
ORDER BY writer`,

    /** Time, limit. */
    oldRows: `
SELECT id FROM ${ROW_TABLE} WHERE held_at IS NULL AND last_at < ? ORDER BY last_at LIMIT ?
${locked.skip}`,

    /** Ids. */
    removeRows: `DELETE FROM ${ROW_TABLE} WHERE ${isIn('id', texts)} RETURNING id`,

    /** Time, limit. */
    overPermits: `
SELECT id FROM ${PERMIT_TABLE} WHERE over_at < ? ORDER BY over_at LIMIT ? ${locked.skip}`,

    /** The values of the condition, limit. */
    permitsWhere: (where: string, order: string) => `
SELECT ${READ_DATA} FROM ${PERMIT_TABLE} WHERE ${where} ORDER BY ${order} LIMIT ?`,

    /** Id. */
    permitById: `SELECT ${READ_DATA} FROM ${PERMIT_TABLE} WHERE id = ?`,

    /** Slot. */
    heldBy: `
SELECT ${READ_DATA} FROM ${PERMIT_TABLE} WHERE slot = ?
ORDER BY ${firstEntryOf(PERMIT_TABLE)} DESC LIMIT 1`,

    /** Slots, customer, operator, time. */
    permitsInForce: `
SELECT ${READ_DATA} FROM ${PERMIT_TABLE} AS newest WHERE ${isIn('slot', texts)} AND NOT EXISTS (
  SELECT 1 FROM ${PERMIT_TABLE} AS later WHERE later.slot = newest.slot
    AND ${firstEntryOf('later')} > ${firstEntryOf('newest')})
UNION ALL
SELECT ${READ_DATA} FROM ${PERMIT_TABLE}
WHERE customer = ? AND operator = ? AND state = 'granted' AND (over_at IS NULL OR over_at > ?)`,

    /** Ids. */
    lockedPermits: `
SELECT ${READ_DATA} FROM ${PERMIT_TABLE} WHERE ${isIn('id', texts)} ${locked.wait}`,

    /** Permits. */
    writePermits: `
INSERT INTO ${PERMIT_TABLE} (id, data) SELECT id, ${json} FROM ${recordsOf(DATA_COLUMNS)} AS new
WHERE true ON CONFLICT (id) DO UPDATE SET data = excluded.data`,

    /** Ids. */
    removePermits: `DELETE FROM ${PERMIT_TABLE} WHERE ${isIn('id', texts)} RETURNING id`,

    /** Ids of rows and permits. */
    removeEntries: `
UPDATE ${ENTRY_TABLE} SET text = NULL, row_id = NULL, repeat_key = NULL WHERE ${isIn('row_id', texts)}
RETURNING writer, ${asNumber('sequence')}`,

    // In a JSON string, the quotes would be escaped.
    /** What was asked to be erased, and what was, where it has no row. Time. */
    erasures: `
SELECT ${READ_ENTRY} FROM ${ENTRY_TABLE} WHERE row_id IS NULL AND text IS NOT NULL AND sequence > 1 AND time >= ?
  AND (text LIKE '%"event":"${ERASING_EVENT}"%' OR text LIKE '%"event":"${ERASED_EVENT}"%')
ORDER BY id`,

    /** Entries without a row, but for those that are kept for ever: see `isKeptForEver`. Time, time, limit. */
    removeAlone: `
UPDATE ${ENTRY_TABLE} SET text = NULL, repeat_key = NULL WHERE id IN (
  SELECT id FROM ${ENTRY_TABLE} WHERE row_id IS NULL AND text IS NOT NULL AND sequence > 1 AND time < ?
    AND coalesce(last_time, time) < ? AND text NOT LIKE '%"event":"${ERASED_EVENT}"%'
  ORDER BY time LIMIT ? ${locked.skip})
RETURNING writer, ${asNumber('sequence')}`,

    /** The runs that end before one, or begin after it. Edges, edges. */
    removedBeside: `
SELECT writer, ${asNumber('first_sequence')}, ${asNumber('last_sequence')} FROM ${REMOVED_TABLE}
WHERE (writer, last_sequence) IN (SELECT writer, before FROM ${edges})
UNION
SELECT writer, ${asNumber('first_sequence')}, ${asNumber('last_sequence')} FROM ${REMOVED_TABLE}
WHERE (writer, first_sequence) IN (SELECT writer, after FROM ${edges})`,

    /** Runs. */
    dropRemoved: `
DELETE FROM ${REMOVED_TABLE} WHERE (writer, first_sequence) IN (
  SELECT writer, first_sequence FROM ${recordsOf(REMOVED_COLUMNS)} AS old)`,

    /** Runs. */
    writeRemoved: `
INSERT INTO ${REMOVED_TABLE} (${namesOf(REMOVED_COLUMNS)})
SELECT ${namesOf(REMOVED_COLUMNS)} FROM ${recordsOf(REMOVED_COLUMNS)} AS new`,

    removed: `
SELECT writer, ${asNumber('first_sequence')}, ${asNumber('last_sequence')} FROM ${REMOVED_TABLE}
ORDER BY writer, first_sequence`,

    /** Time, JWS. */
    keepCheckpoint: `INSERT INTO ${CHECKPOINT_TABLE} (time, jws) VALUES (?, ?)`,

    checkpoints: `SELECT jws FROM ${CHECKPOINT_TABLE} ORDER BY time DESC, id DESC LIMIT ?`,
  }
}
