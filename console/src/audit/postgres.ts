import { entriesOf, rowIdsOf, rowsOf } from './batch-columns.ts'
import { parseNumberCursor, parseRowCursor, rowCursor } from './cursor.ts'
import { keepForOf } from './keep-for.ts'
import { inTransaction, type PostgresPool, rowsOfQuery } from './postgres-client.ts'
import { createSchema, ENTRY, LOCK, ROW } from './postgres-schema.ts'
import * as statements from './postgres-statements.ts'
import { type Condition, conditionsOf, isRowId, rowOf } from './row-columns.ts'
import type { AuditStore, Batch } from './store.ts'
import { headOf, numberIn, removedFromOf, storedEntryOf, textIn } from './stored-columns.ts'

export type { PostgresPool, PostgresQuery, PostgresSession } from './postgres-client.ts'

/** Options of {@link createPostgresAudit}. */
export interface PostgresAuditOptions {
  /**
   * A `Pool` of `pg`. How long a query may take is the pool's to say (`query_timeout`,
   * `connectionTimeoutMillis`).
   */
  readonly pool: PostgresPool
  /**
   * How long an impersonation is kept after its last entry, in seconds: a whole number, 1 or more.
   *
   * @defaultValue for ever
   */
  readonly keepFor?: number | undefined
}

/** At most so many are counted. */
const MAX_COUNTED = 100

/**
 * Keeps the audit in PostgreSQL 12 or later, in four tables whose names begin with
 * `impersonation_audit`. `open()` creates what is missing; where all is there, the right to create
 * tables is not needed, only `SELECT`, `INSERT`, `UPDATE` and `DELETE`, and `USAGE` on the sequences.
 * Several processes may share it.
 *
 * @example
 * audit: createPostgresAudit({ pool: new Pool({ connectionString, query_timeout: 5000 }) })
 *
 * @throws TypeError when an option is wrong.
 */
export function createPostgresAudit(options: PostgresAuditOptions): AuditStore {
  const { pool } = options
  if (typeof pool?.query !== 'function' || typeof pool.connect !== 'function') {
    throw new TypeError('createPostgresAudit: pool must be a Pool of pg')
  }
  const keepFor = keepForOf(options, 'createPostgresAudit')
  const read = (text: string, ...values: unknown[]) => rowsOfQuery(pool, text, values)

  return {
    keepFor,
    open: () => createSchema(pool),
    append: (batch) => append(pool, batch),

    async find(filter, { before, limit, now }) {
      const conditions = conditionsOf(filter, now, 'strpos')
      if (before !== undefined) {
        const { at, id } = parseRowCursor(before)
        conditions.push({ sql: '(at, id) < (?::bigint, ?)', values: [at, id] })
      }
      const { where, values } = whereOf(conditions)
      const found = await read(
        `SELECT data FROM ${ROW} WHERE ${where} ORDER BY at DESC, id DESC LIMIT ${limit + 1}`,
        ...values,
      )
      const rows = found.slice(0, limit).map(({ data }) => rowOf(data))
      const last = rows.at(-1)
      return { rows, next: found.length > limit && last ? rowCursor(last) : undefined }
    },

    async countNewer(filter, { at, id }, now) {
      const newer = { sql: '(at, id) > (?::bigint, ?)', values: [at, id] }
      const { where, values } = whereOf([...conditionsOf(filter, now, 'strpos'), newer])
      // The order makes it read an index from the place on, also where it expects many rows.
      const [counted] = await read(
        `SELECT count(*)::float8 FROM (
          SELECT FROM ${ROW} WHERE ${where} ORDER BY at, id LIMIT ${MAX_COUNTED}) AS newer`,
        ...values,
      )
      return counted ? numberIn(counted, 'count') : 0
    },

    async row(id) {
      if (!isRowId(id)) return undefined
      const [found] = await read(statements.STORED_ROWS, [id])
      return found ? rowOf(found.data) : undefined
    },

    async timeline(id, { after, limit }) {
      const number = numberOf(after)
      if (!isRowId(id)) return []
      return (await read(statements.TIMELINE, id, number, limit)).map(storedEntryOf)
    },

    async entries({ after, limit }) {
      return (await read(statements.ENTRIES, numberOf(after), limit)).map(storedEntryOf)
    },

    async newest() {
      const [found] = await read(
        `SELECT max(id)::text AS cursor FROM ${ENTRY} HAVING max(id) IS NOT NULL`,
      )
      return found ? textIn(found, 'cursor') : undefined
    },

    heads: async () => (await read(statements.HEADS)).map(headOf),

    remove: (before, limit) =>
      inTransaction(pool, async (session) => {
        await session.query({ text: `SELECT ${LOCK}` })
        const [result] = await rowsOfQuery(session, statements.REMOVE, [before, limit])
        return result ? numberIn(result, 'removed') : 0
      }),

    removed: async () => (await read(statements.REMOVED)).map(removedFromOf),

    async keepCheckpoint(jws, time) {
      await read(statements.KEEP_CHECKPOINT, time, jws)
    },

    checkpoints: async (limit) =>
      (await read(statements.CHECKPOINTS, limit)).map((found) => textIn(found, 'jws')),

    async close() {},
  }
}

function append(pool: PostgresPool, batch: Batch): Promise<void> {
  const { writer, number, records } = batch
  const last = records.at(-1)
  const claim = [writer, number, last?.sequence ?? null, last?.hash ?? null]
  return inTransaction(pool, async (session) => {
    const fresh = await rowsOfQuery(session, statements.CLAIM, claim)
    if (fresh.length === 0) return
    const stored = await rowsOfQuery(session, statements.STORED_ROWS, [rowIdsOf(batch)])
    const rows = rowsOf(
      batch,
      stored.map(({ data }) => rowOf(data)),
    )
    const { entries, counts } = entriesOf(batch)
    const written = [entries, counts, rows].map((list) => JSON.stringify(list))
    await rowsOfQuery(session, statements.WRITE, [writer, ...written])
  })
}

function numberOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : parseNumberCursor(cursor)
}

/** The conditions with `$1`, `$2` and so on for their values. */
function whereOf(conditions: readonly Condition[]): { where: string; values: unknown[] } {
  let place = 0
  const numbered = conditions.map(({ sql }) => {
    return sql.replaceAll('?', () => {
      place += 1
      return `$${place}`
    })
  })
  return {
    where: numbered.join(' AND ') || 'true',
    values: conditions.flatMap(({ values }) => values),
  }
}
