import { BoundedMap } from 'oidc-provider-impersonation/siblings'
import type { Batch } from '../../batch.ts'
import { isConditional } from '../../missing.ts'
import { foldingOnly } from '../../unstorable.ts'
import { entriesOf, rowsOf } from '../batch-columns.ts'
import {
  columnsOf,
  parseRow,
  ROW_COLUMNS,
  type RowColumns,
  wordColumnsOf,
  wordsBeside,
} from '../row-columns.ts'
import type { Column } from '../sql/dialect.ts'
import {
  ENTRY_COLUMNS,
  ENTRY_TABLE,
  ROW_TABLE,
  WORD_COLUMNS,
  WORD_TABLE,
  WRITER_TABLE,
} from '../sql/tables.ts'
import { isResultRow, textIn } from '../stored-columns.ts'
import { isServerError, LOCK_KEYS, type PostgresPool } from './client.ts'

/** How many rows are remembered as this process stored them. */
const MAX_ROWS_REMEMBERED = 1000

const namesOf = (columns: readonly Column[]) => columns.map(([name]) => name).join(', ')

/**
 * Writes an entry and its row, if the row is still as it was read. Otherwise, while another process
 * has the lock, or where the batch is stored already, it changes nothing and finds nothing. Each part
 * takes what the one before it found. Writer, number of the batch, row as it was read, entry, row, words
 * that it gets, and loses.
 */
function statementOf(isNew: boolean): string {
  let number = 3
  const valuesOf = (columns: readonly Column[]) =>
    columns.map(([, type]) => {
      number += 1
      return `CAST($${number} AS ${type})`
    })
  const entry = valuesOf(ENTRY_COLUMNS)
  const row = valuesOf(ROW_COLUMNS)
  const [sequence, , hash] = entry
  const [added, gone] = [number + 1, number + 2].map(
    (value) =>
      `json_to_recordset(CAST($${value} AS json)) AS given (${WORD_COLUMNS.map((column) => column.join(' ')).join(', ')})`,
  )
  // A row that was removed meanwhile is not inserted again: it would have what its entries had.
  const writeRow = isNew
    ? `INSERT INTO ${ROW_TABLE} (${namesOf(ROW_COLUMNS)}) SELECT ${row} FROM ready
        WHERE CAST($3 AS text) IS NULL ON CONFLICT (id) DO NOTHING RETURNING id`
    : `UPDATE ${ROW_TABLE} AS stored SET (${namesOf(ROW_COLUMNS)}) = ROW (${row}) FROM ready
        WHERE stored.id = ${row[0]} AND stored.data = CAST($3 AS text) RETURNING stored.id`
  return `
WITH ready AS MATERIALIZED (
  SELECT 1 WHERE pg_try_advisory_xact_lock(${LOCK_KEYS}) AND NOT EXISTS (
    SELECT 1 FROM ${WRITER_TABLE} WHERE writer = CAST($1 AS text) AND batch >= CAST($2 AS bigint))
), written AS (${writeRow}), linked AS (
  INSERT INTO ${WRITER_TABLE} AS stored (writer, batch, sequence, hash)
  SELECT CAST($1 AS text), CAST($2 AS bigint), ${sequence}, ${hash} FROM written
  ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, sequence = excluded.sequence,
    hash = excluded.hash WHERE stored.batch < excluded.batch RETURNING writer
), added AS (
  INSERT INTO ${WORD_TABLE} (word, id) SELECT word, id FROM linked, ${added} ON CONFLICT DO NOTHING
), gone AS (
  DELETE FROM ${WORD_TABLE} WHERE (word, id) IN (SELECT word, id FROM linked, ${gone})
)
INSERT INTO ${ENTRY_TABLE} (writer, ${namesOf(ENTRY_COLUMNS)}) SELECT writer, ${entry} FROM linked
RETURNING id`
}

const INSERT_STATEMENT = { name: 'impersonation_audit_insert', text: statementOf(true) }
const UPDATE_STATEMENT = { name: 'impersonation_audit_update', text: statementOf(false) }
const READ_STATEMENT = {
  name: 'impersonation_audit_read',
  text: `SELECT data FROM ${ROW_TABLE} WHERE id = $1`,
}

/**
 * Appends a batch of one entry in one statement. Where the row was stored by another process, it is
 * read before, in another one.
 *
 * @returns whether it is stored; if not, nothing was changed, and a transaction has to decide
 */
export function loneAppender(
  pool: Pick<PostgresPool, 'query'>,
): (batch: Batch) => Promise<boolean> {
  /** By the id. */
  const remembered = new BoundedMap<string, RowColumns>(MAX_ROWS_REMEMBERED)

  async function read(id: string): Promise<RowColumns | undefined> {
    const { rows } = await pool.query({ ...READ_STATEMENT, values: [id] })
    const [found] = rows.filter(isResultRow)
    // Its text is what the statement compares, also where this version would write another one.
    if (!found) return undefined
    return foldingOnly(() => ({ ...columnsOf(parseRow(found.data)), data: textIn(found, 'data') }))
  }

  return async (batch) => {
    const [record, ...others] = batch.records
    if (!record || record.row === undefined || others.length + batch.repetitions.length > 0) {
      return false
    }
    const { row: id, entry } = record
    // Other processes may write it, too.
    if (isConditional(entry)) return false
    try {
      const isFirst = entry.event === 'impersonation.issued'
      const before = remembered.get(id) ?? (isFirst ? undefined : await read(id))
      remembered.delete(id)
      const [row] = foldingOnly(() => rowsOf(batch, before ? [parseRow(before.data)] : []))
      const [columns] = entriesOf(batch).entries
      if (!row || !columns) return false
      const { added, gone } = changedWordsOf(before, row)
      const { rows } = await pool.query({
        ...(before === undefined ? INSERT_STATEMENT : UPDATE_STATEMENT),
        values: [
          ...[batch.writer, batch.number, before?.data ?? null],
          ...ENTRY_COLUMNS.map(([name]) => columns[name]),
          ...ROW_COLUMNS.map(([name]) => row[name]),
          JSON.stringify(added),
          JSON.stringify(gone),
        ],
      })
      if (rows.length > 0) remembered.set(id, row)
      return rows.length > 0
    } catch (error) {
      if (isServerError(error)) return false
      throw error
    }
  }
}

/** Most changes of a row leave its words as they are. */
function changedWordsOf(before: RowColumns | undefined, after: RowColumns) {
  if (before?.search === after.search) return { added: [], gone: [] }
  const [old, words] = [before ? wordColumnsOf([before]) : [], wordColumnsOf([after])]
  return { added: wordsBeside(words, old), gone: wordsBeside(old, words) }
}
