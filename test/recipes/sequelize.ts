import type { AdapterPayload } from 'oidc-provider'
import { DataTypes, type Model, type ModelStatic, Op, type Sequelize } from 'sequelize'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { keyOf, payloadOf, recordOf } from './record.ts'

interface Row extends ReturnType<typeof recordOf> {
  data: AdapterPayload
  id: string
}

// #region recipe
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

export function defineModels(sequelize: Sequelize) {
  for (const name of names) {
    sequelize.define(
      name,
      {
        id: { type: DataTypes.TEXT, primaryKey: true },
        data: { type: DataTypes.JSONB, allowNull: false },
        grantId: DataTypes.TEXT,
        userCode: DataTypes.TEXT,
        uid: DataTypes.TEXT,
        expiresAt: DataTypes.DATE,
        consumedAt: DataTypes.DATE,
      },
      {
        tableName: name,
        timestamps: false,
        indexes: ['grantId', 'userCode', 'uid', 'expiresAt'].map((field) => ({ fields: [field] })),
      },
    )
  }
}

export class SequelizeAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true
  readonly #sequelize: Sequelize
  readonly #rows: ModelStatic<Model<Row>>
  readonly #table: string

  constructor(model: string, sequelize: Sequelize) {
    this.#sequelize = sequelize
    this.#rows = sequelize.model(model) // throws for a model that is not in the list
    this.#table = sequelize.getQueryInterface().quoteIdentifier(model, true)
  }

  async consumeOnce(id: string) {
    const where = { id: keyOf(id), consumedAt: null, ...live() }
    const [count] = await this.#rows.update({ consumedAt: new Date() }, { where })
    return count === 1
  }

  async consume(id: string) {
    const where = { id: keyOf(id), ...live() }
    await this.#rows.update({ consumedAt: new Date() }, { where })
  }

  // Model.upsert() cannot say that a column keeps what it has.
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const record = { data: JSON.stringify(payload), ...recordOf(payload, expiresIn) }
    await this.#sequelize.query(
      `INSERT INTO ${this.#table} AS stored
        (id, data, "grantId", "userCode", uid, "expiresAt", "consumedAt")
      VALUES ($id, $data, $grantId, $userCode, $uid, $expiresAt, $consumedAt)
      ON CONFLICT (id) DO UPDATE SET
        data = excluded.data, "grantId" = excluded."grantId",
        "userCode" = excluded."userCode", uid = excluded.uid, "expiresAt" = excluded."expiresAt",
        "consumedAt" = coalesce(
          CASE WHEN stored."expiresAt" IS NULL OR stored."expiresAt" > $now
            THEN stored."consumedAt" END,
          excluded."consumedAt")`,
      { bind: { id: keyOf(id), ...record, now: new Date() } },
    )
  }
  // #endregion

  async #find(where: Partial<Row>) {
    const row = await this.#rows.findOne({ where: { ...where, ...live() } })
    return row ? payloadOf(row.get().data, row.get().consumedAt) : undefined
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

// #region recipe
function live() {
  return { expiresAt: { [Op.or]: [null, { [Op.gt]: new Date() }] } }
}
// #endregion
