import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AdapterPayload } from 'oidc-provider'
import type { ConsumptionNote, SingleUseAdapter } from './contract.ts'
import {
  consumedAt,
  decodePayload,
  encodePayload,
  epochSeconds,
  lifetime,
  secondaryKeys,
  storableKey,
} from './record.ts'
import { storageError } from './storage-error.ts'

/** What all models of one file share. */
export interface SqliteStore {
  readonly database: DatabaseSync
  readonly statements: SqliteStatements
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Removes a few expired records now and then. */
  readonly sweep: () => void
}

export type SqliteStatements = ReturnType<typeof prepareAll>

/** Prepared once for the life of the database: parsing would cost more than running. */
export function prepareAll(database: DatabaseSync) {
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
         consumed_at = CASE WHEN expires_at IS NULL OR expires_at > ?9
           THEN coalesce(nullif(consumed_at, 0), excluded.consumed_at, consumed_at)
           ELSE excluded.consumed_at END`,
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
export class SqliteAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true

  readonly #model: string
  readonly #statements: SqliteStatements
  readonly #now: () => number
  readonly #sweep: () => void

  constructor(model: string, { statements, now, sweep }: SqliteStore) {
    this.#model = model
    this.#statements = statements
    this.#now = now
    this.#sweep = sweep
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    this.#sweep()
    this.store(id, payload, lifetime(expiresIn), this.#now())
  }

  protected store(
    id: string,
    payload: AdapterPayload,
    milliseconds: number | undefined,
    now: number,
  ): void {
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

  async consumeOnce(id: string, _note?: ConsumptionNote): Promise<boolean> {
    return this.markOnce(id)
  }

  protected markOnce(id: string): boolean {
    return this.#mark(this.#statements.consumeOnce, id) === 1
  }

  async destroy(id: string): Promise<void> {
    write(this.#statements.destroy, [this.#model, storableKey(id)])
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    write(this.#statements.revokeByGrantId, [this.#model, storableKey(grantId)])
  }

  #read(statement: StatementSync, key: string): AdapterPayload | undefined {
    const [row] = read(statement, [this.#model, storableKey(key), this.#now()])
    return row && decodePayload(row.payload, { consumed: Number(row.consumed_at ?? 0) })
  }

  #mark(statement: StatementSync, id: string): number {
    const now = this.#now()
    return write(statement, [this.#model, storableKey(id), now, epochSeconds(now)])
  }
}

type SqliteValue = string | number | null

/** @returns how many rows changed */
export function write(statement: StatementSync, values: SqliteValue[]): number {
  try {
    return Number(statement.run(...values).changes)
  } catch (error) {
    throw storageError(error, values)
  }
}

/** @returns the rows that were found */
export function read(statement: StatementSync, values: SqliteValue[]) {
  try {
    return statement.all(...values)
  } catch (error) {
    throw storageError(error, values)
  }
}
