// JSONB refuses NUL characters and lone surrogates, so a payload with one rejects; no subject token
// has one. Each model is a table: create that of `SubjectToken` (and of `PreAuthorizedCode`, if you use
// it) in a migration.

import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndingAdapter,
  EndNote,
  ListedBefore,
  LookUp,
} from 'oidc-provider-impersonation/adapters/contract'
import { DataTypes, literal, type Model, type ModelStatic, Op, type Sequelize } from 'sequelize'
import {
  type Fate,
  keyOf,
  lookedUp,
  memberKey,
  payloadOf,
  recordOf,
  type StoredRecord,
} from './record.ts'
import { AFTER, COLUMNS, INDEXES, NEWEST_FIRST, upsertSql } from './sql.ts'

interface Row extends StoredRecord, Fate {
  data: AdapterPayload
  noteActor: string | null
  id: string
}

// The community adapter's list, and what it lacks: each of them is a table.
const names = [
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

const types = {
  text: DataTypes.TEXT,
  timestamptz: DataTypes.DATE,
  bigint: DataTypes.BIGINT,
  integer: DataTypes.INTEGER,
}

export function defineModels(sequelize: Sequelize) {
  for (const name of names) {
    sequelize.define(
      name,
      {
        id: { type: DataTypes.TEXT, primaryKey: true },
        data: { type: DataTypes.JSONB, allowNull: false },
        ...Object.fromEntries(Object.entries(COLUMNS).map(([name, type]) => [name, types[type]])),
      },
      {
        tableName: name,
        timestamps: false,
        indexes: INDEXES.map((fields) => ({ fields: [...fields] })),
      },
    )
  }
}

export class SequelizeAdapter implements EndingAdapter {
  readonly consumesEveryModel = true
  readonly #sequelize: Sequelize
  readonly #rows: ModelStatic<Model<Row>>
  readonly #table: string
  readonly #model: string

  constructor(model: string, sequelize: Sequelize) {
    this.#sequelize = sequelize
    this.#model = model
    this.#rows = sequelize.model(model) // throws for a model that is not in the list
    this.#table = sequelize.getQueryInterface().quoteIdentifier(model, true)
  }

  async consumeOnce(id: string, note?: ConsumptionNote) {
    const where = { id: keyOf(id), consumedAt: null, ended: null, ...live() }
    const noteActor = memberKey(note?.actor)
    const consumed = {
      consumedAt: new Date(),
      ...(note && { note: JSON.stringify(note) }),
      ...(noteActor && { noteActor, actor: noteActor }),
    }
    const [count] = await this.#rows.update(consumed, { where })
    return count === 1
  }

  async consume(id: string) {
    const where = { id: keyOf(id), ...live() }
    await this.#rows.update({ consumedAt: new Date() }, { where })
  }

  // Model.upsert() cannot say that a column keeps what it has.
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const record = {
      id: keyOf(id),
      data: JSON.stringify(payload),
      ...recordOf(this.#model, payload, expiresIn),
    }
    const sql = upsertSql(this.#table, record, ['id'])
    await this.#sequelize.query(sql, { bind: Object.values(record) })
  }

  async endOnce(id: string, end: EndNote) {
    const where = { id: keyOf(id), ended: null, ...live() }
    const [count] = await this.#rows.update({ ended: JSON.stringify(end) }, { where })
    return count === 1
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore) {
    const after =
      before && `${AFTER}(${Number(before.iat)}, ${this.#sequelize.escape(keyOf(before.id))})`
    const rows = await this.#rows.findAll({
      where: {
        ...lookedUp(lookUp),
        ...live(),
        accountId: lookUp.accountId ? keyOf(lookUp.accountId) : { [Op.ne]: null },
        ...(after && { [Op.and]: literal(after) }),
      },
      order: literal(NEWEST_FIRST),
      limit,
    })
    return rows.map(found)
  }

  async endedIndices(list: string) {
    const ended = { ended: { [Op.ne]: null }, statusIndex: { [Op.ne]: null } }
    const rows = await this.#rows.findAll({
      attributes: ['statusIndex'],
      where: { statusList: keyOf(list), ...ended, ...live() },
      group: 'statusIndex',
    })
    return rows.map((row) => Number(row.get().statusIndex))
  }

  async #find(where: Partial<Row>) {
    const row = await this.#rows.findOne({ where: { ...where, ...live() } })
    return row ? found(row) : undefined
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
    await this.#rows.destroy({ where: { id: keyOf(id) } })
  }

  async revokeByGrantId(grantId: string) {
    await this.#rows.destroy({ where: { grantId: keyOf(grantId) } })
  }
}

function found(row: Model<Row>) {
  return payloadOf(row.get().data, row.get())
}

function live() {
  return { expiresAt: { [Op.or]: [null, { [Op.gt]: new Date() }] } }
}
