import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AdapterPayload } from 'oidc-provider'
import type { AdapterFactory, SingleUseAdapter } from './contract.ts'
import {
  batchLimit,
  consumedAt,
  type DeleteExpiredOptions,
  decodePayload,
  encodePayload,
  epochSeconds,
  lifetime,
  secondaryKeys,
  storableKey,
} from './record.ts'
import { openDatabase, type SqliteFile } from './sqlite-database.ts'
import { storageError } from './storage-error.ts'

export type { DeleteExpiredOptions } from './record.ts'

/** Options of {@link createSqliteAdapter}. */
export interface SqliteAdapterOptions extends SqliteFile {
  /**
   * The clock, in milliseconds since the epoch.
   *
   * @defaultValue `Date.now`
   */
  now?: () => number
}

/** The factory that {@link createSqliteAdapter} returns. */
export interface SqliteAdapterFactory extends AdapterFactory {
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
 * An adapter on one file, with node:sqlite (Node 22.13 or later): durable on one machine, safe for
 * several processes there, not for a network file system. WAL lets readers go on while another
 * writes; `consumeOnce` is one conditional `UPDATE`. Expired records are never found, and every sixteen
 * writes remove up to thirty-two of them.
 *
 * Calls are synchronous inside and take some ten microseconds, a write among them.
 *
 * @example
 * new Provider(issuer, { ...configuration, adapter: createSqliteAdapter({ file: 'data/oidc.db' }) })
 *
 * @throws TypeError when an option is wrong, Error when the file cannot be used.
 */
export function createSqliteAdapter(options: SqliteAdapterOptions): SqliteAdapterFactory {
  const { now = Date.now } = options
  const database = openDatabase(options)
  const statements = prepareAll(database)
  let writes = 0

  const removeExpired = (limit: number) => write(statements.deleteExpired, [now(), limit])
  const sweep = () => {
    writes += 1
    if (writes % SWEEP_EVERY === 0) removeExpired(2 * SWEEP_EVERY)
  }
  const factory = (model: string): SingleUseAdapter =>
    new SqliteAdapter(model, statements, now, sweep)

  return Object.assign(factory, {
    deleteExpired: async (options?: DeleteExpiredOptions) => {
      const limit = batchLimit(options)
      let deleted = 0
      for (;;) {
        const count = removeExpired(limit)
        deleted += count
        if (count < limit) return deleted
        // lets the process do other work between two batches
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    close: () => {
      if (database.isOpen) database.close()
    },
  })
}

type Statements = ReturnType<typeof prepareAll>

/** Prepared once for the life of the database: parsing would cost more than running. */
function prepareAll(database: DatabaseSync) {
  const live = '(expires_at IS NULL OR expires_at > ?3)'
  const read = (column: string) =>
    database.prepare(
      `SELECT payload, consumed_at FROM oidc_records WHERE model = ?1 AND ${column} = ?2 AND ${live}
       ORDER BY expires_at IS NULL DESC, expires_at DESC LIMIT 1`,
    )
  return {
    // a live consumed record stays consumed when it is replaced
    upsert: database.prepare(
      `INSERT INTO oidc_records
         (model, id, payload, uid, user_code, grant_id, consumed_at, expires_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
       ON CONFLICT (model, id) DO UPDATE SET
         payload = excluded.payload, uid = excluded.uid, user_code = excluded.user_code,
         grant_id = excluded.grant_id, expires_at = excluded.expires_at,
         consumed_at = coalesce(
           CASE WHEN expires_at IS NULL OR expires_at > ?9 THEN consumed_at END,
           excluded.consumed_at)`,
    ),
    find: read('id'),
    findByUid: read('uid'),
    findByUserCode: read('user_code'),
    consume: database.prepare(
      `UPDATE oidc_records SET consumed_at = ?4 WHERE model = ?1 AND id = ?2 AND ${live}`,
    ),
    consumeOnce: database.prepare(
      `UPDATE oidc_records SET consumed_at = ?4
       WHERE model = ?1 AND id = ?2 AND ${live} AND consumed_at IS NULL`,
    ),
    destroy: database.prepare('DELETE FROM oidc_records WHERE model = ? AND id = ?'),
    revokeByGrantId: database.prepare('DELETE FROM oidc_records WHERE model = ? AND grant_id = ?'),
    deleteExpired: database.prepare(
      `DELETE FROM oidc_records WHERE rowid IN
       (SELECT rowid FROM oidc_records WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    ),
  }
}

// The methods are async so that what node:sqlite throws becomes a rejection.
class SqliteAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true

  readonly #model: string
  readonly #statements: Statements
  readonly #now: () => number
  readonly #sweep: () => void

  constructor(model: string, statements: Statements, now: () => number, sweep: () => void) {
    this.#model = model
    this.#statements = statements
    this.#now = now
    this.#sweep = sweep
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    this.#sweep()
    const now = this.#now()
    const milliseconds = lifetime(expiresIn)
    const { uid, userCode, grantId } = secondaryKeys(payload)
    write(this.#statements.upsert, [
      this.#model,
      storableKey(id),
      encodePayload(payload),
      uid ? storableKey(uid) : null,
      userCode ? storableKey(userCode) : null,
      grantId ? storableKey(grantId) : null,
      Math.floor(consumedAt(payload, now)) || null,
      milliseconds === undefined ? null : Math.ceil(now + milliseconds),
      now,
    ])
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#read(this.#statements.find, id)
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#read(this.#statements.findByUid, uid)
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#read(this.#statements.findByUserCode, userCode)
  }

  async consume(id: string): Promise<void> {
    this.#mark(this.#statements.consume, id)
  }

  async consumeOnce(id: string): Promise<boolean> {
    return this.#mark(this.#statements.consumeOnce, id) === 1
  }

  async destroy(id: string): Promise<void> {
    write(this.#statements.destroy, [this.#model, storableKey(id)])
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    write(this.#statements.revokeByGrantId, [this.#model, storableKey(grantId)])
  }

  #read(statement: StatementSync, key: string): AdapterPayload | undefined {
    const row = read(statement, [this.#model, storableKey(key), this.#now()])
    return row && decodePayload(row.payload, { consumed: Number(row.consumed_at ?? 0) })
  }

  #mark(statement: StatementSync, id: string): number {
    const now = this.#now()
    return write(statement, [this.#model, storableKey(id), now, epochSeconds(now)])
  }
}

/** @returns how many rows changed */
function write(statement: StatementSync, values: (string | number | null)[]): number {
  try {
    return Number(statement.run(...values).changes)
  } catch (error) {
    throw storageError(error, values)
  }
}

function read(statement: StatementSync, values: (string | number | null)[]) {
  try {
    return statement.get(...values)
  } catch (error) {
    throw storageError(error, values)
  }
}
