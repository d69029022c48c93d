import type { AdapterPayload } from 'oidc-provider'
import type { ConsumptionNote, EndingAdapter, EndNote, ListedBefore, LookUp } from '../contract.ts'
import {
  consumedAt,
  decodePayload,
  encodePayload,
  keyColumns,
  LOOK_UPS,
  lifetime,
  storable,
  storableKey,
} from '../record.ts'
import type { PostgresResult } from './client.ts'
import type { PostgresGroups } from './groups.ts'
import { requireSchemaVersion } from './schema.ts'
import { listStatement, type PostgresStatements } from './statements.ts'

/** What all models of one table share. */
export interface PostgresStore {
  /** The quoted name. */
  readonly table: string
  /** Runs a statement, prepared where that is wanted. */
  run(statement: keyof PostgresStatements, values: unknown[]): Promise<PostgresResult>
  /** Runs a statement that is never prepared. */
  send(text: string, values: unknown[]): Promise<PostgresResult>
  /** Runs a call together with others of its kind. */
  readonly groups: PostgresGroups
}

export class PostgresAdapter implements EndingAdapter {
  readonly consumesEveryModel = true

  readonly #store: PostgresStore
  readonly #model: string

  constructor(model: string, store: PostgresStore) {
    this.#model = model
    this.#store = store
  }

  /** Rejects where the table is missing, or is not of this schema version, and says what to do. */
  async check(): Promise<void> {
    const { rows } = await this.#store.run('check', [])
    requireSchemaVersion(this.#store.table, rows[0]?.comment)
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const { secondary, listed } = keyColumns(this.#model, payload)
    const consumed = consumedAt(payload, Date.now())
    await this.#store.groups.upsert([
      this.#model,
      storableKey(id),
      encodePayload(payload),
      ...secondary,
      consumed > 0 ? consumed : null,
      lifetime(expiresIn) ?? null,
      ...listed,
    ])
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const row = await this.#store.groups.find({ model: this.#model, id: storableKey(id) })
    return row && parseRow(row)
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('findByUid', uid)
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('findByUserCode', userCode)
  }

  async consume(id: string): Promise<void> {
    await this.#store.run('consume', [this.#model, storableKey(id)])
  }

  async consumeOnce(id: string, note?: ConsumptionNote): Promise<boolean> {
    return this.#store.groups.consumeOnce({
      model: this.#model,
      id: storableKey(id),
      note: note && JSON.stringify(note),
      actor: storable(note?.actor),
    })
  }

  async endOnce(id: string, end: EndNote): Promise<boolean> {
    const values = [this.#model, storableKey(id), JSON.stringify(end)]
    const { rows } = await this.#store.run('endOnce', values)
    return rows.length === 1
  }

  async destroy(id: string): Promise<void> {
    await this.#store.run('destroy', [this.#model, storableKey(id)])
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#store.run('revokeByGrantId', [this.#model, storableKey(grantId)])
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore): Promise<AdapterPayload[]> {
    const names = LOOK_UPS.filter((name) => lookUp[name] !== undefined)
    const values = names.map((name) => storable(lookUp[name]))
    const position = before ? [before.iat, storableKey(before.id)] : []
    // not prepared: a plan for all values would not know how rare the given ones are
    const { rows } = await this.#store.send(listStatement(this.#store.table, names, !!before), [
      this.#model,
      limit,
      ...values,
      ...position,
    ])
    return rows.map(parseRow)
  }

  async endedIndices(list: string): Promise<number[]> {
    const { rows } = await this.#store.run('endedIndices', [this.#model, storableKey(list)])
    return rows.map((row) => Number(row.status_index))
  }

  async #findBy(statement: 'findByUid' | 'findByUserCode', key: string) {
    const { rows } = await this.#store.run(statement, [this.#model, storableKey(key)])
    return rows[0] && parseRow(rows[0])
  }
}

function parseRow(row: PostgresResult['rows'][number]): AdapterPayload {
  const { payload, consumed, note, ended } = row
  return decodePayload(payload, { consumed: Number(consumed ?? 0), note, end: ended })
}
