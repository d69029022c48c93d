// An adapter of your own, on an SQL table. oidc-provider's methods are as ever; consumeOnce() is new,
// and upsert() has a rule more. The contract suite says whether it is right: docs/adapters.md.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { AdapterPayload } from 'oidc-provider'
import type { SingleUseAdapter } from 'oidc-provider-impersonation/adapters/contract'

export const TABLE_SQL = `CREATE TABLE records (
  model TEXT, id TEXT, payload TEXT NOT NULL, consumed_at INTEGER, expires_at REAL,
  PRIMARY KEY (model, id)
) STRICT`

// A record that has expired counts as gone, removed or not.
const LIVE_SQL = '(expires_at IS NULL OR expires_at > :now)'
const ONE_SQL = `model = :model AND id = :id AND ${LIVE_SQL}`

export class MyAdapter implements SingleUseAdapter {
  readonly #model: string
  readonly #database: DatabaseSync

  constructor(model: string, database: DatabaseSync) {
    this.#model = model
    this.#database = database
  }

  /** One statement: the database runs it for one caller after the other. True for the first one. */
  async consumeOnce(id: string): Promise<boolean> {
    const sql = `UPDATE records SET consumed_at = :now WHERE ${ONE_SQL} AND consumed_at IS NULL`
    return this.#run(sql, { id }) === 1
  }

  /** A record that replaces a live and consumed one is consumed as well, since the same time. */
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const { consumed = null, ...rest } = payload
    const sql = `INSERT INTO records VALUES (:model, :id, :payload, :consumed, :now + :life)
      ON CONFLICT DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at,
        consumed_at = iif(${LIVE_SQL}, coalesce(consumed_at, excluded.consumed_at), excluded.consumed_at)`
    this.#run(sql, { id, consumed, payload: JSON.stringify(rest), life: expiresIn ?? null })
  }

  async consume(id: string): Promise<void> {
    this.#run(`UPDATE records SET consumed_at = coalesce(consumed_at, :now) WHERE ${ONE_SQL}`, {
      id,
    })
  }

  find(id: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('id', id)
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findBy(`payload ->> 'uid'`, uid)
  }

  findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#findBy(`payload ->> 'userCode'`, userCode)
  }

  async destroy(id: string): Promise<void> {
    this.#database.prepare('DELETE FROM records WHERE model = ? AND id = ?').run(this.#model, id)
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    const sql = `DELETE FROM records WHERE model = ? AND payload ->> 'grantId' = ?`
    this.#database.prepare(sql).run(this.#model, grantId)
  }

  async #findBy(column: string, value: string): Promise<AdapterPayload | undefined> {
    const sql = `SELECT payload, consumed_at FROM records WHERE model = ? AND ${column} = ? AND ${LIVE_SQL}`
    const row = this.#database.prepare(sql).get({ now: seconds() }, this.#model, value)
    if (!row) return undefined
    const payload: AdapterPayload = JSON.parse(String(row.payload))
    return row.consumed_at === null ? payload : { ...payload, consumed: Number(row.consumed_at) }
  }

  /** The number of rows that were changed. */
  #run(sql: string, values: Record<string, SQLInputValue>): number {
    const statement = this.#database.prepare(sql)
    return Number(statement.run({ model: this.#model, now: seconds(), ...values }).changes)
  }
}

const seconds = () => Math.floor(Date.now() / 1000)
