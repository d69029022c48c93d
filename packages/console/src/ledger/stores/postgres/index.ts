import type { AuditStore } from '../../store.ts'
import { parseKeepFor } from '../keep-for.ts'
import type { SqlDialect } from '../sql/dialect.ts'
import { migrate, statementsIn } from '../sql/migrations.ts'
import { sqlStore } from '../sql/store.ts'
import { appenderAtOnce } from './append-at-once.ts'
import {
  badDataCodeOf,
  inTransaction,
  type PostgresPool,
  readByIndex,
  rowsOfQuery,
  unprepared,
} from './client.ts'
import { schemaCheck } from './schema.ts'

export type { PostgresPool, PostgresQuery, PostgresSession } from './client.ts'

/** Options of {@link createPostgresAudit}. */
export interface PostgresAuditOptions {
  /**
   * A `Pool` of `pg`, with a `query_timeout` and a `connectionTimeoutMillis`. The audit sets none.
   */
  readonly pool: PostgresPool
  /**
   * Prepares statements by name. Set it to `false` behind a pooler that does not track them, such
   * as PgBouncer before 1.21 or without `max_prepared_statements`.
   * @defaultValue `true`
   */
  readonly prepare?: boolean | undefined
  /**
   * How long an impersonation is kept after its last entry, in whole seconds, 1 or more. Choose it
   * before you go live.
   * @defaultValue forever
   */
  readonly keepFor?: number | undefined
}

/**
 * Keeps the audit in PostgreSQL 12 or later, in tables whose names begin with
 * `impersonation_audit`. `open()` creates what is missing; where all is there, the right to create
 * tables is not needed, only `SELECT`, `INSERT`, `UPDATE` and `DELETE`, `USAGE` on the sequences, and
 * `TEMPORARY` on the database. Several processes may share it.
 *
 * @example
 * audit: createPostgresAudit({ pool: new Pool({ connectionString, query_timeout: 5000 }) })
 *
 * @throws TypeError when an option is wrong.
 */
export function createPostgresAudit(options: PostgresAuditOptions): AuditStore {
  const { pool, prepare = true } = options
  if (typeof pool?.query !== 'function' || typeof pool.connect !== 'function') {
    throw new TypeError('createPostgresAudit: pool must be a Pool of pg')
  }
  if (typeof prepare !== 'boolean') {
    throw new TypeError('createPostgresAudit: prepare must be true or false')
  }
  const keepFor = parseKeepFor(options, 'createPostgresAudit')
  return sqlStore(postgresDialect(pool, prepare), keepFor)
}

function postgresDialect(pool: PostgresPool, prepare: boolean): SqlDialect {
  const migration = statementsIn(new URL('./001.sql', import.meta.url))
  const dialect: SqlDialect = {
    functions: {
      greater: 'greatest',
      jsonArray: 'json_agg',
      jsonTuple: 'json_build_array',
    },
    // Not `to_regclass`, which remembers that a name was not there until the transaction ends.
    existing: `SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = ANY(current_schemas(false))
        AND relname IN (SELECT json_array_elements_text(CAST(? AS json)))`,
    texts: 'SELECT json_array_elements_text(CAST(? AS json))',
    json: 'CAST(data AS jsonb)',
    matching: { inRow: matching, byIndex: matching },
    differences: schemaCheck(pool, migration),
    isIn: (column, query) => `${column} = ANY(ARRAY(${query}))`,
    locked: { wait: 'FOR UPDATE', skip: 'FOR UPDATE SKIP LOCKED' },
    recordsOf(columns) {
      const typed = columns.map((column) => column.join(' '))
      return `(SELECT * FROM json_to_recordset(CAST(? AS json)) AS record (${typed.join(', ')}))`
    },

    async open() {
      const [found] = await rowsOfQuery(pool, [{ text: 'SHOW server_encoding', values: [] }])
      if (found?.server_encoding !== 'UTF8') {
        throw new Error('createPostgresAudit: the encoding of the database must be UTF8')
      }
      await migrate(dialect, migration)
    },

    async close() {},

    read: (query) => rowsOfQuery(pool, [query]),
    readByIndex: (query) => readByIndex(pool, query),
    inTransaction: (kind, steps) => inTransaction(pool, kind, steps),
    appendAtOnce: appenderAtOnce(prepare ? pool : unprepared(pool)),
    refusalOf(error) {
      const code = badDataCodeOf(error)
      return code === undefined ? undefined : `PostgreSQL refuses what is in the entry (${code})`
    },
  }
  return dialect
}

function matching(words: readonly string[]) {
  const query = words.map((word) => `'${word}':*`).join(' & ')
  return { sql: 'words @@ CAST(? AS tsquery)', values: [query] }
}
