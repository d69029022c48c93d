import { createHash } from 'node:crypto'
import { resolve } from '../../options/rules.ts'
import type { AdapterFactory, EndingAdapter } from '../contract.ts'
import { type DeleteExpiredOptions, deleteInBatches } from '../record.ts'
import { sqlAdapter } from '../sql.ts'
import { type PostgresClient, runQuery } from './client.ts'
import { POSTGRES_RULES, type PostgresTable, requireSchemaVersion, tableNames } from './schema.ts'
import { type RunStatement, statements } from './statements.ts'
import { postgresTable } from './table.ts'

export type { DeleteExpiredOptions } from '../record.ts'
export type { PostgresClient, PostgresQuery } from './client.ts'
export { migrate, migrationSql, type PostgresTable } from './schema.ts'

/** Options of {@link createPostgresAdapter}. */
export interface PostgresAdapterOptions extends PostgresTable {
  /**
   * A `Pool` of `pg`, or a connected `Client` that is in no transaction. Set its timeouts
   * (`query_timeout`, `connectionTimeoutMillis`). Without them, a stalled server stalls the
   * request.
   * @example
   * pool: new Pool({ query_timeout: 5000 })
   */
  pool: PostgresClient

  /**
   * Prepares statements by name. Turn it off behind a pooler that does not track them (PgBouncer
   * before 1.21, or without `max_prepared_statements`).
   * @defaultValue `true`
   */
  prepare?: boolean

  /**
   * Stores the subject tokens that are issued in one turn of the event loop by one statement. Turn
   * it off if `pool` depends on the current request, for example to choose a database.
   * @defaultValue `true`
   */
  group?: boolean
}

/** The factory that {@link createPostgresAdapter} returns. */
export interface PostgresAdapterFactory extends AdapterFactory {
  (model: string): EndingAdapter
  /**
   * Removes expired rows, in batches of at most `batchSize`, each a transaction of its own, and
   * resolves the number removed. Several processes may do it at once, because each skips the rows
   * that another is removing. Expired rows are never found, so nothing depends on when it runs.
   * Every few minutes keeps the table small.
   */
  deleteExpired(options?: DeleteExpiredOptions): Promise<number>
}

/**
 * An adapter for PostgreSQL 12 and later. `consumeOnce` is one conditional `UPDATE`. When the
 * promise resolves, it is as durable as the server's `synchronous_commit`, and counts once across
 * all processes and, with synchronous standbys, across a failover. Records expire by the
 * database's clock, so the clocks of the processes need not agree.
 *
 * Create the table with {@link migrate} first.
 *
 * @example
 * const pool = new Pool({ connectionString, query_timeout: 5000 })
 * await migrate(pool)
 * const adapter = createPostgresAdapter({ pool })
 * setInterval(() => adapter.deleteExpired().catch(report), 300_000).unref()
 * new Provider(issuer, { ...configuration, adapter })
 *
 * @throws TypeError if an option is wrong
 */
export function createPostgresAdapter(options: PostgresAdapterOptions): PostgresAdapterFactory {
  const { pool, prepare, group, ...names } = resolve(
    POSTGRES_RULES,
    options,
    'createPostgresAdapter',
  )
  const { table } = tableNames(names)
  const texts = statements(table)
  // one name means one text on a connection, also when adapters of two tables share it
  const tag = createHash('sha256').update(table).digest('hex').slice(0, 8)

  const run: RunStatement = (statement, values) =>
    runQuery(pool, table, {
      ...(prepare && { name: `oidc_${tag}_${statement}` }),
      text: texts[statement],
      values,
    })
  const send = (text: string, values: unknown[]) => runQuery(pool, table, { text, values })
  const records = postgresTable({ table, run, send, group })

  /** Rejects with the remedy if the table is missing, or is not of this schema version. */
  const check = async () => requireSchemaVersion(table, (await run('check', [])).rows[0]?.comment)
  const factory = (model: string): EndingAdapter => ({ ...sqlAdapter(model, records), check })
  const deleteExpired = (options?: DeleteExpiredOptions) =>
    deleteInBatches(options, async (limit) => (await run('deleteExpired', [limit])).count)
  return Object.assign(factory, { deleteExpired })
}
