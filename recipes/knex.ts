import type { Knex } from 'knex'
import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndingAdapter,
  EndNote,
  ListedBefore,
  LookUp,
} from 'oidc-provider-impersonation/adapters/contract'
import {
  type Fate,
  keyOf,
  lookedUp,
  memberKey,
  payloadOf,
  recordOf,
  type StoredRecord,
} from './record.ts'
import { AFTER, COLUMNS, INDEXES, keptColumns, NEWEST_FIRST } from './sql.ts'

interface Row extends StoredRecord, Fate {
  payload: string
  noteActor: string | null
  id: string
  type: number
}

// The community adapter's list, and what it lacks. Append: the place in the list is what is stored.
const types = [
  'Session',
  'AccessToken',
  'AuthorizationCode',
  'RefreshToken',
  'DeviceCode',
  'ClientCredentials',
  'Client',
  'InitialAccessToken',
  'RegistrationAccessToken',
  'Interaction',
  'ReplayDetection',
  'PushedAuthorizationRequest',
  'Grant',
  'BackchannelAuthenticationRequest',
  'PreAuthorizedCode',
  'SubjectToken',
]

export class KnexAdapter implements EndingAdapter {
  readonly consumesEveryModel = true
  readonly #knex: Knex
  readonly #model: string
  readonly #type: number

  constructor(model: string, knex: Knex) {
    if (!types.includes(model)) throw new TypeError(`add ${model} to the list of types`)
    this.#knex = knex
    this.#model = model
    this.#type = types.indexOf(model) + 1
  }

  async consumeOnce(id: string, note?: ConsumptionNote) {
    const unused = this.#live({ id: keyOf(id), consumedAt: null, ended: null })
    const noteActor = memberKey(note?.actor)
    const consumed = {
      consumedAt: new Date(),
      ...(note && { note: JSON.stringify(note) }),
      ...(noteActor && { noteActor, actor: noteActor }),
    }
    return (await unused.update(consumed)) === 1
  }

  async consume(id: string) {
    await this.#live({ id: keyOf(id) }).update({ consumedAt: new Date() })
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const record = {
      payload: JSON.stringify(payload),
      ...recordOf(this.#model, payload, expiresIn),
    }
    const kept = Object.entries(keptColumns()).map(([column, sql]) => [column, this.#knex.raw(sql)])
    await this.#knex('oidc_payloads as stored')
      .insert({ id: keyOf(id), type: this.#type, ...record })
      .onConflict(['id', 'type'])
      .merge({ ...record, ...Object.fromEntries(kept) })
  }

  async endOnce(id: string, end: EndNote) {
    const live = this.#live({ id: keyOf(id), ended: null })
    return (await live.update({ ended: JSON.stringify(end) })) === 1
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore) {
    const rows = this.#live(lookedUp(lookUp))
      .whereNotNull('accountId')
      .orderByRaw(NEWEST_FIRST)
      .limit(limit)
    if (before) rows.whereRaw(`${AFTER}(?, ?)`, [before.iat, keyOf(before.id)])
    return (await rows).map(found)
  }

  async endedIndices(list: string) {
    const ended = this.#live({ statusList: keyOf(list) }).whereNotNull('ended')
    const indices = await ended.distinct().pluck('statusIndex')
    return indices.filter((index) => index !== null)
  }

  #live(where: Partial<Row>) {
    return this.#knex<Row>('oidc_payloads')
      .where({ type: this.#type, ...where })
      .where((query) => query.whereNull('expiresAt').orWhere('expiresAt', '>', new Date()))
  }

  async #find(where: Partial<Row>) {
    const row = await this.#live(where).first()
    return row && found(row)
  }

  find(id: string) {
    return this.#find({ id: keyOf(id) })
  }

  findByUid(uid: string) {
    return this.#find({ uid: keyOf(uid) })
  }

  findByUserCode(userCode: string) {
    return this.#find({ userCode: keyOf(userCode) })
  }

  async destroy(id: string) {
    await this.#knex('oidc_payloads')
      .where({ id: keyOf(id), type: this.#type })
      .delete()
  }

  async revokeByGrantId(grantId: string) {
    const where = { grantId: keyOf(grantId), type: this.#type }
    await this.#knex('oidc_payloads').where(where).delete()
  }
}

function found(row: Row) {
  return payloadOf(JSON.parse(row.payload), row)
}

// Where the table is there already: alterTable, and the columns from accountId on.
export async function createTable(knex: Knex) {
  await knex.schema.createTable('oidc_payloads', (table) => {
    table.text('id')
    table.integer('type')
    table.text('payload').notNullable()
    for (const [name, type] of Object.entries(COLUMNS)) table.specificType(name, type)
    table.primary(['id', 'type'])
    for (const columns of INDEXES) table.index([...columns])
  })
}
