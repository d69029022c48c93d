import { objectWith, resolve, valid } from 'oidc-provider-impersonation/siblings'
import { wholeSecondsRule } from '../../../kernel/option-rules.ts'
import type { AuditStore } from '../../store.ts'
import type { KeepingOptions } from '../keeping-options.ts'
import type { SqlDialect } from '../sql/dialect.ts'
import { migrate, statementsIn } from '../sql/migrations.ts'
import { sql } from '../sql/sql.ts'
import { sqlStore } from '../sql/store.ts'
import { create, type PostgresPool, readByIndex, rowsOfQuery } from './client.ts'
import { schemaCheck } from './schema.ts'
import { postgresWrites } from './write.ts'

export type { PostgresPool, PostgresQuery, PostgresSession } from './client.ts'

/** Options of {@link createPostgresAudit}. */
export interface PostgresAuditOptions extends KeepingOptions {
  /**
   * A `Pool` of `pg`, with a `query_timeout` and a `connectionTimeoutMillis`. The audit sets none.
   */
  readonly pool: PostgresPool
  /**
   * Prepares statements by name, as the option of `createPostgresAdapter` does.
   * @defaultValue `true`
   */
  readonly prepare?: boolean | undefined
}

const RULES = {
  keepFor: wholeSecondsRule,
  pool: objectWith<PostgresPool>('query', 'connect').required('a Pool of pg'),
  prepare: valid<boolean>((value) => typeof value === 'boolean', 'true or false').or(true),
}

/**
 * Keeps the audit in PostgreSQL 12 or later, in tables whose names begin with
 * `impersonation_audit`. `open()` creates what is missing; where all is there, the right to create
 * tables is not needed, only `SELECT`, `INSERT`, `UPDATE` and `DELETE`, and `TEMPORARY` on the database. Several
 * processes may share it.
 *
 * @example
 * audit: createPostgresAudit({ pool: new Pool({ connectionString, query_timeout: 5000 }) })
 *
 * @throws TypeError when an option is wrong.
 */
export function createPostgresAudit(options: PostgresAuditOptions): AuditStore {
  const { pool, prepare, keepFor } = resolve(RULES, options, 'createPostgresAudit')
  return sqlStore(postgresDialect(pool, prepare), keepFor)
}

function postgresDialect(pool: PostgresPool, prepare: boolean): SqlDialect {
  const migration = statementsIn(new URL('./001.sql', import.meta.url))
  const { findTime, ...writes } = postgresWrites(pool, prepare)
  const dialect: SqlDialect = {
    ...writes,
    // Not `to_regclass`, which remembers that a name was not there until the transaction ends.
    existing: sql`
SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = ANY(current_schemas(false))
  AND relname IN ('impersonation_audit_entry', 'impersonation_audit_schema')`,
    texts: (texts) => sql`SELECT value, at - 1 AS place
      FROM json_array_elements_text(CAST(${JSON.stringify(texts)} AS json)) WITH ORDINALITY AS given (value, at)`,
    matching: { inRow: matching, byIndex: matching },
    differences: schemaCheck(pool, migration),
    isIn: (column, texts) => sql`
${column} = ANY(ARRAY(SELECT json_array_elements_text(CAST(${JSON.stringify(texts)} AS json))))`,
    // Of two members with one name, jsonb has the last, as JSON.parse has.
    isCanonical: () => true,

    async open() {
      if ((await findTime()).encoding !== 'UTF8') {
        throw new Error('createPostgresAudit: the encoding of the database must be UTF8')
      }
      await migrate(dialect, migration)
    },

    async close() {},

    read: (query) => rowsOfQuery(pool, query),
    readByIndex: (query) => readByIndex(pool, query),
    create: (statements, unless) => create(pool, statements, unless),
    async overwriteRemoved() {},
  }
  return dialect
}

function matching(words: readonly string[]) {
  const query = words.map((word) => `'${word}':*`).join(' & ')
  return sql`words @@ CAST(${query} AS tsquery)`
}
