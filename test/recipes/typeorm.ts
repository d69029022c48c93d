import type { AdapterPayload } from 'oidc-provider'
import { type DataSource, EntitySchema } from 'typeorm'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { keyOf, payloadOf, recordOf } from './record.ts'

interface Row extends ReturnType<typeof recordOf> {
  payload: string
  model: string
  id: string
}

// #region recipe
export const OidcRecord = new EntitySchema<Row>({
  name: 'oidc_records',
  columns: {
    model: { type: 'text', primary: true }, // any name: nothing to add for SubjectToken
    id: { type: 'text', primary: true },
    payload: { type: 'text' },
    grantId: { type: 'text', nullable: true },
    userCode: { type: 'text', nullable: true },
    uid: { type: 'text', nullable: true },
    expiresAt: { type: 'timestamptz', nullable: true },
    consumedAt: { type: 'timestamptz', nullable: true },
  },
  indices: ['grantId', 'userCode', 'uid', 'expiresAt'].map((column) => ({ columns: [column] })),
})

const live = '("expiresAt" IS NULL OR "expiresAt" > :now)'

export class TypeOrmAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true
  readonly #source: DataSource
  readonly #model: string

  constructor(model: string, source: DataSource) {
    this.#source = source
    this.#model = model
  }

  async consumeOnce(id: string) {
    const { affected } = await this.#consuming(id).andWhere('"consumedAt" IS NULL').execute()
    return affected === 1
  }

  async consume(id: string) {
    await this.#consuming(id).execute()
  }

  // save() reads first and writes afterwards, and orUpdate() cannot say that a column keeps what it has.
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const record = { payload: JSON.stringify(payload), ...recordOf(payload, expiresIn) }
    await this.#source.query(
      `INSERT INTO oidc_records AS stored
        (model, id, payload, "grantId", "userCode", uid, "expiresAt", "consumedAt")
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (model, id) DO UPDATE SET
        payload = excluded.payload, "grantId" = excluded."grantId",
        "userCode" = excluded."userCode", uid = excluded.uid, "expiresAt" = excluded."expiresAt",
        "consumedAt" = coalesce(
          CASE WHEN stored."expiresAt" IS NULL OR stored."expiresAt" > $9
            THEN stored."consumedAt" END,
          excluded."consumedAt")`,
      [
        ...[this.#model, keyOf(id), record.payload, record.grantId, record.userCode, record.uid],
        ...[record.expiresAt, record.consumedAt, new Date()],
      ],
    )
  }

  #consuming(id: string) {
    const now = new Date()
    return this.#source
      .createQueryBuilder()
      .update(OidcRecord)
      .set({ consumedAt: now })
      .where({ model: this.#model, id: keyOf(id) })
      .andWhere(live, { now })
  }
  // #endregion

  async #find(where: Partial<Row>) {
    const row = await this.#source
      .createQueryBuilder(OidcRecord, 'record')
      .where({ model: this.#model, ...where })
      .andWhere(live, { now: new Date() })
      .getOne()
    return row ? payloadOf(JSON.parse(row.payload), row.consumedAt) : undefined
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
    await this.#source.getRepository(OidcRecord).delete({ model: this.#model, id: keyOf(id) })
  }

  async revokeByGrantId(grantId: string) {
    const where = { model: this.#model, grantId: keyOf(grantId) }
    await this.#source.getRepository(OidcRecord).delete(where)
  }
}
