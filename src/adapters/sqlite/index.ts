import { resolve } from '../../options/rules.ts'
import type { AdapterFactory, EndingAdapter } from '../contract.ts'
import { type DeleteExpiredOptions, deleteInBatches } from '../record.ts'
import { sqlAdapter } from '../sql.ts'
import { openDatabase, SQLITE_RULES, type SqliteFile } from './database.ts'
import { prepareAll } from './statements.ts'
import { sqliteTable } from './table.ts'
import { sqliteTurns } from './turns.ts'

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
   * Removes all expired records, `batchSize` in a transaction, and resolves their number. Every
   * write removes a few expired records too, so call this for a store that gets no more writes.
   */
  deleteExpired(options?: DeleteExpiredOptions): Promise<number>

  /**
   * Writes the pending calls, and closes the file. Every later call of a method rejects. Closing
   * again does nothing.
   */
  close(): void
}

/** The number of writes after which at most twice as many expired records are removed. */
const SWEEP_EVERY = 16

/**
 * An adapter on one file, with node:sqlite (Node 22.20 or 24.7, or later). It is durable on one
 * machine, and safe for several processes there, but not for a network file system. WAL lets
 * readers go on while another writes. One conditional `UPDATE` decides `consumeOnce`. Expired
 * records are never found, and every sixteen writes remove up to thirty-two of them.
 *
 * The writes of one turn of the event loop go into one transaction at its end. Each promise
 * resolves once that is committed, and a record that cannot be written fails alone. node:sqlite is
 * synchronous, and a write takes some tens of microseconds.
 *
 * @example
 * new Provider(issuer, { ...configuration, adapter: createSqliteAdapter({ file: 'data/oidc.db' }) })
 *
 * @throws TypeError if an option is wrong, Error if the file cannot be used
 */
export function createSqliteAdapter(options: SqliteAdapterOptions): SqliteAdapterFactory {
  const { now: clock = Date.now, ...file } = resolve(SQLITE_RULES, options, 'createSqliteAdapter')
  const database = openDatabase(file)
  const statements = prepareAll(database)
  // it is stored as an integer
  const now = () => Math.ceil(clock())
  let writes = 0

  const removeExpired = (limit: number) =>
    Number(statements.deleteExpired.run(now(), limit).changes)
  const sweep = () => {
    writes += 1
    if (writes % SWEEP_EVERY === 0) removeExpired(2 * SWEEP_EVERY)
  }
  const turns = sqliteTurns(database)
  const table = sqliteTable({ database, statements, turns, now, sweep })
  const factory = (model: string): EndingAdapter => sqlAdapter(model, table)

  return Object.assign(factory, {
    deleteExpired: (options?: DeleteExpiredOptions) =>
      deleteInBatches(options, (limit) => turns.write(() => removeExpired(limit))),
    close: () => {
      if (!database.isOpen) return
      turns.flush()
      database.close()
    },
  })
}
