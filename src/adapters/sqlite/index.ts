import { resolve } from '../../options/rules.ts'
import type { AdapterFactory, EndingAdapter } from '../contract.ts'
import { type DeleteExpiredOptions, deleteInBatches } from '../record.ts'
import { sqlAdapter } from '../sql.ts'
import { openDatabase, SQLITE_RULES, type SqliteFile } from './database.ts'
import { prepareAll } from './statements.ts'
import { attempt, sqliteTable } from './table.ts'

export type { DeleteExpiredOptions } from '../record.ts'

/** Options of {@link createSqliteAdapter}. */
export interface SqliteAdapterOptions extends SqliteFile {
  /**
   * The clock, in milliseconds since the epoch.
   *
   * @defaultValue `Date.now`
   * @example
   * now: () => Date.now()
   */
  now?: () => number
}

/** The factory that {@link createSqliteAdapter} returns. */
export interface SqliteAdapterFactory extends AdapterFactory {
  (model: string): EndingAdapter
  /**
   * Removes all expired records, `batchSize` in a transaction, and resolves how many. Every write
   * removes a few expired records too, so call this for a store that gets no more writes.
   */
  deleteExpired(options?: DeleteExpiredOptions): Promise<number>

  /** Closes the file. Every later call of a method rejects. Closing again does nothing. */
  close(): void
}

/** After that many writes, twice as many expired records are removed at most. */
const SWEEP_EVERY = 16

/**
 * An adapter on one file, with node:sqlite (Node 22.20 or 24.7, or later): durable on one machine, safe for
 * several processes there, not for a network file system. WAL lets readers go on while another
 * writes; one conditional `UPDATE` decides `consumeOnce`. Expired records are never found, and every sixteen
 * writes remove up to thirty-two of them.
 *
 * Each call is done at once, as a transaction of its own. node:sqlite is synchronous; a write takes some
 * tens of microseconds.
 *
 * @example
 * new Provider(issuer, { ...configuration, adapter: createSqliteAdapter({ file: 'data/oidc.db' }) })
 *
 * @throws TypeError when an option is wrong, Error when the file cannot be used.
 */
export function createSqliteAdapter(options: SqliteAdapterOptions): SqliteAdapterFactory {
  const { now: clock = Date.now, ...file } = resolve(SQLITE_RULES, options, 'createSqliteAdapter')
  const database = openDatabase(file)
  const statements = prepareAll(database)
  // what is stored of it is an integer
  const now = () => Math.ceil(clock())
  let writes = 0

  const removeExpired = (limit: number) =>
    Number(statements.deleteExpired.run(now(), limit).changes)
  const sweep = () => {
    writes += 1
    if (writes % SWEEP_EVERY === 0) removeExpired(2 * SWEEP_EVERY)
  }
  const table = sqliteTable({ database, statements, now, sweep })
  const factory = (model: string): EndingAdapter => sqlAdapter(model, table)

  return Object.assign(factory, {
    deleteExpired: (options?: DeleteExpiredOptions) =>
      deleteInBatches(options, (limit) => attempt(() => removeExpired(limit))),
    close: () => {
      if (database.isOpen) database.close()
    },
  })
}
