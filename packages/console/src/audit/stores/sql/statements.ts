import { ERASED_EVENT } from 'oidc-provider-impersonation-verify/format'
import { MAX_ROWS_BY_WORD } from '../filter.ts'
import { ROW_COLUMNS } from '../row-columns.ts'
import type { SqlDialect } from './dialect.ts'
import {
  CHECKPOINT_TABLE,
  ENTRY_COLUMNS,
  ENTRY_TABLE,
  PERMIT_COLUMNS,
  PERMIT_TABLE,
  REMOVED_COLUMNS,
  REMOVED_TABLE,
  ROW_TABLE,
  WORD_COLUMNS,
  WORD_TABLE,
  WRITER_TABLE,
} from './tables.ts'

// Each value has a `?` of its own: node:sqlite of Node 22.13 to 22.19 takes no values for `?1`.

const namesOf = (columns: readonly (readonly [name: string, type: string])[]) =>
  columns.map(([name]) => name).join(', ')

/** A bigint of pg arrives as text. As a float it is a number, and exact below 2^53. */
const asNumber = (name: string) => `CAST(${name} AS float8) AS ${name}`

/** Of entries that are read. */
const READ_ENTRY = `CAST(id AS text) AS cursor, writer, ${asNumber('sequence')}, hash, digest, text,
  row_id, ${asNumber('count')}, ${asNumber('last_time')}`

const READ_ROW = ROW_COLUMNS.map(([name, type]) => (type === 'bigint' ? asNumber(name) : name))

const PERMIT_NAMES = PERMIT_COLUMNS.map(([name]) => name).join(', ')
const READ_PERMIT = PERMIT_COLUMNS.map(([name, type]) =>
  type === 'bigint' ? asNumber(name) : name,
).join(', ')

/** From a word to the end of the range. */
const IN_RANGE = 'word >= ? AND word < ?'

/** At most so many are counted. */
const MAX_COUNTED = 100

export function statementsOf({ functions, texts, wordsIn, isIn, locked, recordsOf }: SqlDialect) {
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
  const replaced = ROW_COLUMNS.filter(([name]) => name !== 'id').map(
    ([name]) => `${name} = excluded.${name}`,
  )
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
    storedRows: `SELECT data FROM ${ROW_TABLE} WHERE ${isIn('id', texts)}`,

    /** Ids. */
    lockedRows: `SELECT data FROM ${ROW_TABLE} WHERE ${isIn('id', texts)} ${locked.wait}`,

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
INSERT INTO ${ROW_TABLE} (${namesOf(ROW_COLUMNS)})
SELECT ${namesOf(ROW_COLUMNS)} FROM ${recordsOf(ROW_COLUMNS)} AS new WHERE true
ON CONFLICT (id) DO UPDATE SET ${replaced.join(', ')}`,

    /** Words. */
    writeWords: `
INSERT INTO ${WORD_TABLE} (word, id) SELECT word, id FROM ${recordsOf(WORD_COLUMNS)} AS new WHERE true
ON CONFLICT DO NOTHING`,

    /** Words. */
    removeWords: `
DELETE FROM ${WORD_TABLE} WHERE (word, id) IN (SELECT word, id FROM ${recordsOf(WORD_COLUMNS)} AS old)`,

    // The order makes PostgreSQL read the index up to the limit, and not the whole range.
    /** How many rows have a word that begins so, but no more than is read by words. Of each, its range. */
    wordCounts: (count: number) =>
      `SELECT ${Array.from(
        { length: count },
        (_, index) => `CAST((SELECT count(*) FROM (SELECT 1 FROM ${WORD_TABLE} WHERE ${IN_RANGE}
          ORDER BY word, id LIMIT ${MAX_ROWS_BY_WORD + 1}) AS matching) AS float8) AS count${index}`,
      ).join(', ')}`,

    rowTable: ROW_TABLE,
    // The limit keeps the database from reading rows in another way.
    /** Rows with a word of a range. */
    rowsByWord: `(SELECT * FROM ${ROW_TABLE} WHERE ${isIn('id', `SELECT id FROM ${WORD_TABLE} WHERE ${IN_RANGE}`)}
      LIMIT ${MAX_ROWS_BY_WORD + 1}) AS by_word`,

    /** The values of the source, of the condition, limit. */
    rows: (from: string, where: string, order: string) =>
      `SELECT data FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT ?`,

    // The order makes PostgreSQL read an index from the position on, also where it expects many rows.
    counted: (from: string, where: string) => `
SELECT CAST(count(*) AS float8) AS count
FROM (SELECT 1 FROM ${from} WHERE ${where} ORDER BY at, id LIMIT ${MAX_COUNTED}) AS newer`,

    // As a derived table, so that the entries are read of those rows alone that are found.
    /** Rows from an id on, after it, or with it; and how many of their words are stored. Id, limit. */
    filedRows: (comparison: '=' | '>' | '>=') => `
SELECT filed.*, ${namedEntries}, CAST((
  SELECT count(*) FROM ${WORD_TABLE} AS stored
  WHERE stored.id = filed.id AND ${isIn('stored.word', wordsIn('filed.search'))}
) AS float8) AS stored_words FROM (
  SELECT ${READ_ROW.join(', ')} FROM ${ROW_TABLE} WHERE id ${comparison} ? ORDER BY id LIMIT ?
) AS filed ORDER BY filed.id`,

    /** The values of the condition, limit. */
    filedPermits: (where: string, order: string) => `
SELECT ${READ_PERMIT}, ${namedEntries} FROM (
  SELECT ${PERMIT_NAMES} FROM ${PERMIT_TABLE} WHERE ${where} ORDER BY ${order} LIMIT ?
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
SELECT id, search FROM ${ROW_TABLE} WHERE held_at IS NULL AND last_at < ? ORDER BY last_at LIMIT ?
${locked.skip}`,

    /** Id. */
    searchedRow: `SELECT id, search, data FROM ${ROW_TABLE} WHERE id = ? ${locked.wait}`,

    /** Ids. */
    removeRows: `DELETE FROM ${ROW_TABLE} WHERE ${isIn('id', texts)} RETURNING id`,

    /** Time, limit. */
    overPermits: `
SELECT id FROM ${PERMIT_TABLE} WHERE over_at < ? ORDER BY over_at LIMIT ? ${locked.skip}`,

    // As a derived table: by the number that is read, no index is ordered.
    /** The values of the condition, limit. */
    permitsWhere: (where: string, order: string) => `
SELECT ${READ_PERMIT} FROM (
  SELECT ${PERMIT_NAMES} FROM ${PERMIT_TABLE} WHERE ${where} ORDER BY ${order} LIMIT ?
) AS found ORDER BY ${order}`,

    /** Id. */
    permitById: `SELECT ${READ_PERMIT} FROM ${PERMIT_TABLE} WHERE id = ?`,

    /** Slot. */
    heldBy: `
SELECT ${READ_PERMIT} FROM ${PERMIT_TABLE} WHERE slot = ? ORDER BY place DESC LIMIT 1`,

    /** Id. */
    lockedPermit: `SELECT ${READ_PERMIT} FROM ${PERMIT_TABLE} WHERE id = ? ${locked.wait}`,

    /** Ids. */
    removePermits: `DELETE FROM ${PERMIT_TABLE} WHERE ${isIn('id', texts)} RETURNING id`,

    /** Ids of rows and permits. */
    removeEntries: `
UPDATE ${ENTRY_TABLE} SET text = NULL, row_id = NULL, repeat_key = NULL WHERE ${isIn('row_id', texts)}
RETURNING writer, ${asNumber('sequence')}`,

    // In a JSON string, the quotes would be escaped.
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
