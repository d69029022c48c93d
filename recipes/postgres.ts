// Seeing and ending in SQL, for an adapter that you have: what it adds to `upsert` and `find` is in
// `keptColumns` and `payloadOf`. A new deployment takes oidc-provider-impersonation/adapters/postgres.
import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndingAdapter,
  EndNote,
  ListedBefore,
  LookUp,
} from 'oidc-provider-impersonation/adapters/contract'
import type { Pool } from 'pg'
import { type Fate, keyOf, lookedUp, memberKey, payloadOf, recordOf } from './record.ts'
import { AFTER, COLUMNS, INDEXES, NEWEST_FIRST, upsertSql } from './sql.ts'

type Row = Fate & { payload: string }

export const table = `
  CREATE TABLE oidc_records (model text, id text, payload text NOT NULL,
    ${Object.entries(COLUMNS).map(([name, type]) => `"${name}" ${type}`)}, PRIMARY KEY (model, id));
  ${INDEXES.map((columns) => `CREATE INDEX ON oidc_records (${columns.map((name) => `"${name}"`)});`).join('')}`

export class PostgresAdapter implements EndingAdapter {
  readonly consumesEveryModel = true
  readonly #pool: Pool
  readonly #model: string

  constructor(model: string, pool: Pool) {
    this.#pool = pool
    this.#model = model
  }

  // #region ending
  consumeOnce(id: string, note?: ConsumptionNote) {
    const actor = memberKey(note?.actor)
    const set = `"consumedAt" = now(), note = $3, "noteActor" = $4, actor = coalesce($4, actor)`
    const values = [note ? JSON.stringify(note) : null, actor]
    return this.#updateOnce(id, set, '"consumedAt" IS NULL AND ended IS NULL', values)
  }

  endOnce(id: string, end: EndNote) {
    return this.#updateOnce(id, 'ended = $3', 'ended IS NULL', [JSON.stringify(end)])
  }

  // One statement: of several at once, the later ones see what the first has written.
  async #updateOnce(id: string, set: string, condition: string, values: (string | null)[]) {
    const { rowCount } = await this.#pool.query(
      `UPDATE oidc_records SET ${set} WHERE model = $1 AND id = $2 AND ${condition} AND ${LIVE}`,
      [this.#model, keyOf(id), ...values],
    )
    return rowCount === 1
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore) {
    const values: (string | number)[] = [this.#model, limit]
    const conditions = ['model = $1', '"accountId" IS NOT NULL', LIVE]
    for (const [name, key] of Object.entries(lookedUp(lookUp))) {
      conditions.push(`"${name}" = $${values.push(key)}`)
    }
    if (before) {
      const [iat, id] = [values.push(before.iat), values.push(keyOf(before.id))]
      conditions.push(`${AFTER}($${iat}, $${id})`)
    }
    const { rows } = await this.#pool.query<Row>(
      `SELECT * FROM oidc_records WHERE ${conditions.join(' AND ')}
      ORDER BY ${NEWEST_FIRST} LIMIT $2`,
      values,
    )
    return rows.map(found)
  }

  async endedIndices(list: string) {
    const { rows } = await this.#pool.query<{ statusIndex: number }>(
      `SELECT DISTINCT "statusIndex" FROM oidc_records WHERE model = $1 AND "statusList" = $2
        AND ended IS NOT NULL AND "statusIndex" IS NOT NULL AND ${LIVE}`,
      [this.#model, keyOf(list)],
    )
    return rows.map(({ statusIndex }) => statusIndex)
  }
  // #endregion

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const record = {
      model: this.#model,
      id: keyOf(id),
      payload: JSON.stringify(payload),
      ...recordOf(this.#model, payload, expiresIn),
    }
    const sql = upsertSql('oidc_records', record, ['model', 'id'])
    await this.#pool.query(sql, Object.values(record))
  }

  async consume(id: string) {
    await this.#pool.query(
      `UPDATE oidc_records SET "consumedAt" = now() WHERE model = $1 AND id = $2 AND ${LIVE}`,
      [this.#model, keyOf(id)],
    )
  }

  find(id: string) {
    return this.#find('id', id)
  }

  findByUid(uid: string) {
    return this.#find('uid', uid)
  }

  findByUserCode(userCode: string) {
    return this.#find('"userCode"', userCode)
  }

  async #find(column: string, key: string) {
    const { rows } = await this.#pool.query<Row>(
      `SELECT * FROM oidc_records WHERE model = $1 AND ${column} = $2 AND ${LIVE}`,
      [this.#model, keyOf(key)],
    )
    return rows[0] && found(rows[0])
  }

  async destroy(id: string) {
    await this.#delete('id', id)
  }

  async revokeByGrantId(grantId: string) {
    await this.#delete('"grantId"', grantId)
  }

  async #delete(column: string, key: string) {
    const where = `model = $1 AND ${column} = $2`
    await this.#pool.query(`DELETE FROM oidc_records WHERE ${where}`, [this.#model, keyOf(key)])
  }
}

const LIVE = '("expiresAt" IS NULL OR "expiresAt" > now())'

function found(row: Row) {
  return payloadOf(JSON.parse(row.payload), row)
}
