import type { Knex } from 'knex'
import type { AdapterPayload } from 'oidc-provider'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { keyOf, payloadOf, recordOf } from './record.ts'

interface Row extends ReturnType<typeof recordOf> {
  payload: string
  id: string
  type: number
}

// #region recipe
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

export class KnexAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true
  readonly #knex: Knex
  readonly #type: number

  constructor(model: string, knex: Knex) {
    if (!types.includes(model)) throw new TypeError(`add ${model} to the list of types`)
    this.#knex = knex
    this.#type = types.indexOf(model) + 1
  }

  async consumeOnce(id: string) {
    return (await this.#live({ id: keyOf(id), consumedAt: null }).update(consumedNow())) === 1
  }

  async consume(id: string) {
    await this.#live({ id: keyOf(id) }).update(consumedNow())
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const record = { payload: JSON.stringify(payload), ...recordOf(payload, expiresIn) }
    const consumedAt = this.#knex.raw(
      `coalesce(
        CASE WHEN stored."expiresAt" IS NULL OR stored."expiresAt" > ? THEN stored."consumedAt" END,
        excluded."consumedAt")`,
      [new Date()],
    )
    await this.#knex('oidc_payloads as stored')
      .insert({ id: keyOf(id), type: this.#type, ...record })
      .onConflict(['id', 'type'])
      .merge({ ...record, consumedAt })
  }

  #live(where: Partial<Row>) {
    return this.#knex<Row>('oidc_payloads')
      .where({ type: this.#type, ...where })
      .where((query) => query.whereNull('expiresAt').orWhere('expiresAt', '>', new Date()))
  }
  // #endregion

  async #find(where: Partial<Row>) {
    const row = await this.#live(where).first()
    return row && payloadOf(JSON.parse(row.payload), row.consumedAt)
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

// #region recipe
function consumedNow() {
  return { consumedAt: new Date() }
}

export async function createTable(knex: Knex) {
  await knex.schema.createTable('oidc_payloads', (table) => {
    table.text('id')
    table.integer('type')
    table.text('payload').notNullable()
    table.text('grantId').index()
    table.text('userCode').index()
    table.text('uid').index()
    table.timestamp('expiresAt').index() // for the job that deletes what has expired
    table.timestamp('consumedAt')
    table.primary(['id', 'type'])
  })
}
// #endregion
