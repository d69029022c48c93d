import { createHash } from 'node:crypto'
import type { AdapterFactory, EndingAdapter } from '../contract.ts'
import { type DeleteExpiredOptions, deleteInBatches } from '../record.ts'
import { type PostgresStore, postgresAdapter } from './adapter.ts'
import { type PostgresClient, runQuery } from './client.ts'
import { postgresGroups } from './groups.ts'
import { type PostgresTable, tableNames } from './schema.ts'
import { statements } from './statements.ts'

export type { DeleteExpiredOptions } from '../record.ts'
export type { PostgresClient, PostgresQuery } from './client.ts'
export { migrate } from './migration.ts'
export { migrationSql, type PostgresTable } from './schema.ts'

/** Options of {@link createPostgresAdapter}. */
export interface PostgresAdapterOptions extends PostgresTable {
  /**
   * A `Pool` of `pg`, or a connected `Client` that is in no transaction: a consumption inside a
   * transaction that is rolled back never happened.
   *
   * How long a query may take is the pool's to say (`query_timeout`, `statement_timeout`,
   * `connectionTimeoutMillis`): without them a stalled server stalls the request.
   */
  pool: PostgresClient

  /**
   * Whether statements are prepared by name, once per connection. Turn it off behind a pooler
   * that hands a connection to others between statements and does not track them (PgBouncer
   * before 1.21, or without `max_prepared_statements`).
   *
   * @defaultValue `true`
   */
  prepare?: boolean

  /**
   * Whether calls of the same kind that are made in one turn of the event loop go as one statement.
   * Turn it off where `pool` looks at the request that it works for, for example to choose a
   * database or to set a variable of the session: a statement then serves several requests.
   *
   * @defaultValue `true`
   */
  group?: boolean
}

/** The factory that {@link createPostgresAdapter} returns. */
export interface PostgresAdapterFactory extends AdapterFactory {
  (model: string): EndingAdapter
  /**
   * Removes expired rows, in batches of at most `batchSize`, each a transaction of its own, and
   * resolves how many it removed. Several processes may do it at once: each skips the rows that
   * another is removing. Expired rows are never found, so nothing depends on when it runs; every
   * few minutes keeps the table small.
   */
  deleteExpired(options?: DeleteExpiredOptions): Promise<number>
}

/**
 * An adapter for PostgreSQL 12 and later. `consumeOnce` is one conditional `UPDATE`, which may serve
 * several calls. It is durable when the promise resolves as far as the server's
 * `synchronous_commit` goes, and counts once across all processes and, with synchronous standbys,
 * across a failover. Records expire by the database's
 * clock, so the clocks of the processes need not agree.
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
 * @throws TypeError when an option is wrong.
 */
export function createPostgresAdapter(options: PostgresAdapterOptions): PostgresAdapterFactory {
  const { pool, prepare = true, group = true } = options
  if (typeof pool?.query !== 'function') {
    throw new TypeError('createPostgresAdapter: pool must be a Pool or Client of pg')
  }
  const { table } = tableNames(options)
  const texts = statements(table)
  // one name means one text on a connection, also when adapters of two tables share it
  const tag = createHash('sha256').update(table).digest('hex').slice(0, 8)

  const run: PostgresStore['run'] = (statement, values) =>
    runQuery(pool, table, {
      ...(prepare ? { name: `oidc_${tag}_${statement}` } : {}),
      text: texts[statement],
      values,
    })
  const store: PostgresStore = {
    table,
    run,
    send: (text, values) => runQuery(pool, table, { text, values }),
    groups: postgresGroups(run, group),
  }

  const factory = (model: string): EndingAdapter => postgresAdapter(model, store)
  const deleteExpired = (options?: DeleteExpiredOptions) =>
    deleteInBatches(options, async (limit) => (await run('deleteExpired', [limit])).count)
  return Object.assign(factory, { deleteExpired })
}
