import type { AdapterPayload } from 'oidc-provider'
import type { ConsumptionNote, SingleUseAdapter } from './contract.ts'
import type { PostgresResult } from './postgres-client.ts'
import type { PostgresStatements } from './postgres-statements.ts'
import {
  consumedAt,
  decodePayload,
  encodePayload,
  lifetime,
  secondaryKeys,
  storableKey,
} from './record.ts'

/** What all models of one table share. */
export interface PostgresStore {
  /** The quoted name. */
  readonly table: string
  /** Runs a statement, prepared where that is wanted. */
  run(statement: keyof PostgresStatements, values: unknown[]): Promise<PostgresResult>
  /** Runs a statement that is never prepared. */
  send(text: string, values: unknown[]): Promise<PostgresResult>
}

/** The adapter of every model but one; its statements are those of the version before. */
export class PostgresAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true

  readonly #run: PostgresStore['run']
  readonly #model: string

  constructor(model: string, store: PostgresStore) {
    this.#run = store.run
    this.#model = model
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    await this.#run('upsert', this.stored(id, payload, expiresIn))
  }

  /** The values of an upsert. */
  protected stored(id: string, payload: AdapterPayload, expiresIn: number | undefined): unknown[] {
    const { uid, userCode, grantId } = secondaryKeys(payload)
    const consumed = consumedAt(payload, Date.now())
    return [
      this.#model,
      storableKey(id),
      encodePayload(payload),
      uid && storableKey(uid),
      userCode && storableKey(userCode),
      grantId && storableKey(grantId),
      consumed > 0 ? consumed : null,
      lifetime(expiresIn) ?? null,
    ]
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#read('find', id)
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#read('findByUid', uid)
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#read('findByUserCode', userCode)
  }

  async consume(id: string): Promise<void> {
    await this.#run('consume', [this.#model, storableKey(id)])
  }

  async consumeOnce(id: string, _note?: ConsumptionNote): Promise<boolean> {
    const { rows } = await this.#run('consumeOnce', [this.#model, storableKey(id)])
    return rows.length === 1
  }

  async destroy(id: string): Promise<void> {
    await this.#run('destroy', [this.#model, storableKey(id)])
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#run('revokeByGrantId', [this.#model, storableKey(grantId)])
  }

  async #read(statement: 'find' | 'findByUid' | 'findByUserCode', key: string) {
    const { rows } = await this.#run(statement, [this.#model, storableKey(key)])
    const row = rows[0]
    return row && decodePayload(row.payload, { consumed: Number(row.consumed ?? 0) })
  }
}
