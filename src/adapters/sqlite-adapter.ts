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
import type { SqliteTurn } from './sqlite-turn.ts'
import { storageError } from './storage-error.ts'

/** What all models of one file share. */
export interface SqliteStore {
  readonly database: DatabaseSync
  readonly statements: SqliteStatements
  /** Where every write goes. */
  readonly turn: SqliteTurn
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
  const insert = `INSERT INTO oidc_records
      (model, id, payload, uid, user_code, grant_id, consumed_at, expires_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (model, id)`
  return {
    insert: database.prepare(`${insert} DO NOTHING`),
    // a live consumed record stays consumed when it is replaced
    upsert: database.prepare(
      `${insert} DO UPDATE SET
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
    // IS NOT NULL names the condition of the index: without it, SQLite prepares the statement anew
    // each time, to see whether the value that is bound implies it
    deleteExpired: database.prepare(
      `DELETE FROM oidc_records WHERE rowid IN
       (SELECT rowid FROM oidc_records WHERE expires_at IS NOT NULL AND expires_at <= ?
        ORDER BY expires_at LIMIT ?)`,
    ),
  }
}

/** A record, encoded when it is asked for: the caller may change the payload before it is written. */
export interface SqliteRecord {
  /** The id, as it is stored. */
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | null
  /** When it was asked for, in milliseconds since the epoch. */
  readonly now: number
  /** What `insert` takes. */
  readonly values: readonly SqliteValue[]
}

// The methods are async so that what they throw before the turn becomes a rejection.
export class SqliteAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true

  readonly #model: string
  readonly #statements: SqliteStatements
  readonly #turn: SqliteTurn
  readonly #now: () => number
  readonly #sweep: () => void

  constructor(model: string, { statements, turn, now, sweep }: SqliteStore) {
    this.#model = model
    this.#statements = statements
    this.#turn = turn
    this.#now = now
    this.#sweep = sweep
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const record = this.encode(id, payload, expiresIn)
    return this.#turn.statement(() => {
      this.#sweep()
      this.replace(record)
    })
  }

  protected encode(id: string, payload: AdapterPayload, expiresIn?: number): SqliteRecord {
    const { uid, userCode, grantId } = secondaryKeys(payload)
    const [key, milliseconds, now] = [storableKey(id), lifetime(expiresIn), this.#now()]
    const expiresAt = milliseconds === undefined ? null : Math.ceil(now + milliseconds)
    const values = [
      this.#model,
      key,
      encodePayload(payload),
      storable(uid),
      storable(userCode),
      storable(grantId),
      Math.floor(consumedAt(payload, now)) || null,
      expiresAt,
    ]
    return { key, expiresAt, now, values }
  }

  /** @returns whether it was new: neither a live nor an expired record had the id */
  protected insert({ values }: SqliteRecord): boolean {
    return write(this.#statements.insert, values) === 1
  }

  protected replace({ values, now }: SqliteRecord): void {
    write(this.#statements.upsert, [...values, now])
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
    const key = storableKey(id)
    await this.#turn.statement(() => this.#mark(this.#statements.consume, key))
  }

  async consumeOnce(id: string, _note?: ConsumptionNote): Promise<boolean> {
    const key = storableKey(id)
    return this.#turn.statement(() => this.markOnce(key))
  }

  protected markOnce(key: string): boolean {
    return this.#mark(this.#statements.consumeOnce, key) === 1
  }

  async destroy(id: string): Promise<void> {
    await this.#delete(this.#statements.destroy, id)
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#delete(this.#statements.revokeByGrantId, grantId)
  }

  #read(statement: StatementSync, key: string): AdapterPayload | undefined {
    const row = readFirst(statement, [this.#model, storableKey(key), this.#now()])
    return row && decodePayload(row.payload, { consumed: Number(row.consumed_at ?? 0) })
  }

  #mark(statement: StatementSync, key: string): number {
    const now = this.#now()
    return write(statement, [this.#model, key, now, epochSeconds(now)])
  }

  #delete(statement: StatementSync, key: string): Promise<number> {
    const values = [this.#model, storableKey(key)]
    return this.#turn.statement(() => write(statement, values))
  }
}

type SqliteValue = string | number | null

export function storable(text: string | undefined): string | null {
  return text === undefined ? null : storableKey(text)
}

/** @returns how many rows changed */
export function write(statement: StatementSync, values: readonly SqliteValue[]): number {
  try {
    return Number(statement.run(...values).changes)
  } catch (error) {
    throw storageError(error, values)
  }
}

/** @returns the rows that were found */
export function read(statement: StatementSync, values: readonly SqliteValue[]) {
  try {
    return statement.all(...values)
  } catch (error) {
    throw storageError(error, values)
  }
}

/** @returns the first row that was found */
export function readFirst(statement: StatementSync, values: readonly SqliteValue[]) {
  try {
    return statement.get(...values)
  } catch (error) {
    throw storageError(error, values)
  }
}
