import type { AdapterPayload } from 'oidc-provider'
import type { ConsumptionNote, SingleUseAdapter } from './contract.ts'
import type { PostgresResult } from './postgres-client.ts'
import type { PostgresGroups } from './postgres-groups.ts'
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
  /** Runs a call together with others of its kind. */
  readonly groups: PostgresGroups
}

/**
 * The adapter of every model but one; its statements name what the version before had. Of these
 * models only `find` is grouped: what a group writes, it writes together.
 */
export class PostgresAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true

  readonly #run: PostgresStore['run']
  readonly #groups: PostgresGroups
  readonly #model: string

  constructor(model: string, store: PostgresStore) {
    this.#run = store.run
    this.#groups = store.groups
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
    return payloadOf(await this.#groups.find({ model: this.#model, id: storableKey(id) }))
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

  async #read(statement: 'findByUid' | 'findByUserCode', key: string) {
    const { rows } = await this.#run(statement, [this.#model, storableKey(key)])
    return payloadOf(rows[0])
  }
}

function payloadOf(row: PostgresResult['rows'][number] | undefined): AdapterPayload | undefined {
  return row && decodePayload(row.payload, { consumed: Number(row.consumed ?? 0) })
}
