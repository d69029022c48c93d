import { BoundedMap } from 'oidc-provider-impersonation/siblings'
import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { Batch } from '../../batch.ts'
import { isConditional } from '../../missing.ts'
import { foldingOnly } from '../../unstorable.ts'
import { entriesOf, foldBatch, rowIdsOf } from '../batch-columns.ts'
import { columnsOf, parseRow } from '../row-columns.ts'
import type { Column } from '../sql/dialect.ts'
import { ENTRY_COLUMNS, ENTRY_TABLE, ROW_TABLE, WRITER_TABLE } from '../sql/tables.ts'
import { isResultRow, numberIn, textIn } from '../stored-columns.ts'
import { isServerError, LOCK_KEYS, type PostgresQueries } from './client.ts'

/** How many rows are remembered as this process stored them. */
const MAX_ROWS_REMEMBERED = 1000

const namesOf = (columns: readonly Column[]) => columns.map(([name]) => name).join(', ')

/**
 * Writes entries and their rows, where each row has the version that was read. Otherwise, while another process
 * has the lock, or where the batch is stored already, it changes nothing and finds nothing. `at` and `last_at` are
 * compared as well: a row that began anew after a removal may have the same version. The rows are locked: one that
 * was removed meanwhile is not written again, since it would have what its entries had.
 *
 * The lock of writers is had after the statement began to see: where another process wrote a row between, it fails.
 * The planner supposes a hundred rows. It would read the table where that is small, and a connection keeps the
 * plan: `concat` has it suppose one.
 *
 * Writer, number of the batch, sequence and hash of its last link, rows, entries.
 */
const APPEND_STATEMENT = {
  name: 'impersonation_audit_append',
  text: `
WITH new AS MATERIALIZED (
  SELECT * FROM json_to_recordset(CAST($5 AS json))
    AS record (id text, version bigint, at bigint, last_at bigint, data jsonb) WHERE id = concat(id)
), known AS MATERIALIZED (
  SELECT 1 FROM new JOIN ${ROW_TABLE} AS stored ON stored.id = new.id
    AND (stored.version, stored.at, stored.last_at) = (new.version, new.at, new.last_at) FOR UPDATE OF stored
), ready AS MATERIALIZED (
  SELECT 1 WHERE pg_try_advisory_xact_lock(${LOCK_KEYS})
    AND NOT EXISTS (SELECT 1 FROM ${WRITER_TABLE}
      WHERE writer = CAST($1 AS text) AND batch >= CAST($2 AS bigint))
    AND (SELECT count(version) FROM new) = (SELECT count(*) FROM known)
), written AS (
  INSERT INTO ${ROW_TABLE} AS stored (id, version, data)
  SELECT id, coalesce(version, 0) + 1, data FROM ready, new
  ON CONFLICT (id) DO UPDATE SET version = excluded.version, data = excluded.data
    WHERE stored.version + 1 = excluded.version RETURNING 1
), linked AS (
  INSERT INTO ${WRITER_TABLE} AS stored (writer, batch, sequence, hash)
  SELECT CAST($1 AS text), CAST($2 AS bigint), CAST($3 AS bigint), CAST($4 AS text) FROM ready
  ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, sequence = excluded.sequence,
    hash = excluded.hash WHERE stored.batch < excluded.batch RETURNING 1
), missing AS MATERIALIZED (
  SELECT 1 + (SELECT count(*) FROM new) - (SELECT count(*) FROM written) - (SELECT count(*) FROM linked)
    AS number FROM ready
)
INSERT INTO ${ENTRY_TABLE} (writer, ${namesOf(ENTRY_COLUMNS)})
SELECT CAST($1 AS text), ${namesOf(ENTRY_COLUMNS)} FROM json_to_recordset(CAST($6 AS json))
  AS record (${ENTRY_COLUMNS.map((column) => column.join(' ')).join(', ')})
WHERE (SELECT CASE WHEN number = 0 THEN 0 ELSE
    CAST(concat('another process wrote meanwhile: ', number) AS bigint) END FROM missing) = 0
ORDER BY sequence RETURNING id`,
}

const READ_STATEMENT = {
  name: 'impersonation_audit_read',
  text: `SELECT id, CAST(version AS float8) AS version, CAST(data AS text) AS data FROM ${ROW_TABLE}
WHERE id = ANY($1)`,
}

/** A row as this process read or stored it last. */
interface Remembered {
  readonly version: number
  readonly data: string
}

/**
 * Appends a batch in one statement. Rows that another process stored are read before, in another one.
 *
 * @returns whether it is stored; if not, nothing was changed, and a transaction has to decide
 */
export function appenderAtOnce(pool: PostgresQueries): (batch: Batch) => Promise<boolean> {
  /** By the id. */
  const remembered = new BoundedMap<string, Remembered>(MAX_ROWS_REMEMBERED)

  /** What is known of the rows of a batch, which is forgotten: it holds once. */
  async function take({ records }: Batch, ids: readonly string[]) {
    const found = new Map<string, Remembered>()
    for (const id of ids) {
      const known = remembered.get(id)
      if (known) found.set(id, known)
      remembered.delete(id)
    }
    const begun = new Set(
      records.map(({ row, entry }) => (entry.event === 'impersonation.issued' ? row : undefined)),
    )
    const unknown = ids.filter((id) => !found.has(id) && !begun.has(id))
    if (unknown.length === 0) return found
    const { rows } = await pool.query({ ...READ_STATEMENT, values: [unknown] })
    for (const row of rows.filter(isResultRow)) {
      found.set(textIn(row, 'id'), { version: numberIn(row, 'version'), data: textIn(row, 'data') })
    }
    return found
  }

  return async (batch) => {
    const { writer, number, records, repetitions } = batch
    const last = records.at(-1)
    // Other processes may write what is conditional, too.
    if (!last || repetitions.length > 0 || records.some(({ entry }) => isConditional(entry))) {
      return false
    }
    try {
      const before = await take(batch, rowIdsOf(batch))
      const stored = foldingOnly(() => [...before.values()].map(({ data }) => parseRow(data)))
      const byId = new Map(stored.map((row) => [row.id, row]))
      const rows = foldBatch(batch, stored).map((row) => ({
        ...columnsOf(row),
        version: before.get(row.id)?.version,
        was: byId.get(row.id),
      }))
      const { rows: written } = await pool.query({
        ...APPEND_STATEMENT,
        values: [
          ...[writer, number, last.sequence, last.hash],
          `[${rows.map(recordOf).join(',')}]`,
          JSON.stringify(entriesOf(batch).entries),
        ],
      })
      if (written.length === 0) return false
      for (const { id, data, version = 0 } of rows) {
        remembered.set(id, { version: version + 1, data })
      }
      return true
    } catch (error) {
      if (isServerError(error)) return false
      throw error
    }
  }
}

/** JSON of a row, without encoding its own JSON again. */
function recordOf(row: {
  id: string
  data: string
  version: number | undefined
  was: AuditRow | undefined
}): string {
  const { id, version, data, was } = row
  const head = JSON.stringify({ id, version, at: was?.at, last_at: was?.lastAt })
  return `${head.slice(0, -1)},"data":${data}}`
}
