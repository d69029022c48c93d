import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndNote,
  LifecycleAdapter,
  ListedBefore,
  LookUp,
} from './contract.ts'
import { PostgresAdapter, type PostgresStore } from './postgres-adapter.ts'
import { listStatement } from './postgres-statements.ts'
import { decodePayload, lifecycleKeys, storableKey } from './record.ts'

const MODEL = 'SubjectToken'
const LOOK_UPS = ['accountId', 'actor', 'clientId'] as const

/**
 * The adapter of subject tokens. Only its statements name what the version before did not have: on
 * a table that was not migrated, other models work as before.
 */
export class PostgresLifecycleAdapter extends PostgresAdapter implements LifecycleAdapter {
  readonly #store: PostgresStore

  constructor(store: PostgresStore) {
    super(MODEL, store)
    this.#store = store
  }

  /** Rejects where the table or a column is missing, and says what to do. */
  async check(): Promise<void> {
    await this.#store.run('check', [MODEL])
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const keys = lifecycleKeys(MODEL, payload)
    const [, ...stored] = this.stored(id, payload, expiresIn)
    await this.#store.groups.upsertListed([
      ...stored,
      storable(keys?.accountId),
      storable(keys?.clientId),
      storable(keys?.actor),
      keys?.iat,
      storable(keys?.statusList),
      keys?.statusIndex,
    ])
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const row = await this.#store.groups.findListed(storableKey(id))
    return row && payloadOf(row)
  }

  override async consumeOnce(id: string, note?: ConsumptionNote): Promise<boolean> {
    return this.#store.groups.consumeListed({
      id: storableKey(id),
      note: note && JSON.stringify(note),
      actor: storable(note?.actor),
    })
  }

  override async revokeByGrantId(grantId: string): Promise<void> {
    await this.#store.run('revokeListed', [MODEL, storableKey(grantId)])
  }

  async endOnce(id: string, end: EndNote): Promise<boolean> {
    const values = [MODEL, storableKey(id), JSON.stringify(end)]
    const { rows } = await this.#store.run('endOnce', values)
    return rows.length === 1
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore): Promise<AdapterPayload[]> {
    const names = LOOK_UPS.filter((name) => lookUp[name] !== undefined)
    const values = names.map((name) => storable(lookUp[name]))
    const position = before ? [before.iat, storableKey(before.id)] : []
    // not prepared: a plan for all values would not know how rare the given ones are
    const { rows } = await this.#store.send(listStatement(this.#store.table, names, !!before), [
      MODEL,
      limit,
      ...values,
      ...position,
    ])
    return rows.map(payloadOf)
  }

  async endedIndices(list: string): Promise<number[]> {
    const { rows } = await this.#store.run('endedIndices', [MODEL, storableKey(list)])
    return rows.map((row) => Number(row.status_index))
  }
}

function storable(text: string | undefined): string | undefined {
  return text === undefined ? undefined : storableKey(text)
}

function payloadOf(row: Readonly<Record<string, unknown>>): AdapterPayload {
  const { payload, consumed, note, ended } = row
  return decodePayload(payload, { consumed: Number(consumed ?? 0), note, end: ended })
}
