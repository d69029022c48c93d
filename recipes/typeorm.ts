import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndingAdapter,
  EndNote,
  ListedBefore,
  LookUp,
} from 'oidc-provider-impersonation/adapters/contract'
import { type DataSource, EntitySchema } from 'typeorm'
import {
  type Fate,
  keyOf,
  lookedUp,
  memberKey,
  payloadOf,
  recordOf,
  type StoredRecord,
} from './record.ts'
import { COLUMNS, INDEXES, upsertSql } from './sql.ts'

interface Row extends StoredRecord, Fate {
  payload: string
  noteActor: string | null
  model: string
  id: string
}

export const OidcRecord = new EntitySchema<Row>({
  name: 'oidc_records',
  columns: {
    model: { type: 'text', primary: true }, // any name: nothing to add for SubjectToken
    id: { type: 'text', primary: true },
    payload: { type: 'text' },
    ...Object.fromEntries(
      Object.entries(COLUMNS).map(([name, type]) => [name, { type, nullable: true }]),
    ),
  },
  indices: INDEXES.map((columns) => ({ columns: [...columns] })),
})

const live = '("expiresAt" IS NULL OR "expiresAt" > :now)'

export class TypeOrmAdapter implements EndingAdapter {
  readonly consumesEveryModel = true
  readonly #source: DataSource
  readonly #model: string

  constructor(model: string, source: DataSource) {
    this.#source = source
    this.#model = model
  }

  async consumeOnce(id: string, note?: ConsumptionNote) {
    const noteActor = memberKey(note?.actor)
    const consumed = {
      consumedAt: new Date(),
      ...(note && { note: JSON.stringify(note) }),
      ...(noteActor && { noteActor, actor: noteActor }),
    }
    const unused = this.#updating(id, consumed).andWhere('"consumedAt" IS NULL AND ended IS NULL')
    return (await unused.execute()).affected === 1
  }

  async consume(id: string) {
    await this.#updating(id, { consumedAt: new Date() }).execute()
  }

  // save() reads first and writes afterwards, and orUpdate() cannot say that a column keeps what it has.
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const record = {
      model: this.#model,
      id: keyOf(id),
      payload: JSON.stringify(payload),
      ...recordOf(this.#model, payload, expiresIn),
    }
    const sql = upsertSql('oidc_records', record, ['model', 'id'])
    await this.#source.query(sql, Object.values(record))
  }

  async endOnce(id: string, end: EndNote) {
    const ending = this.#updating(id, { ended: JSON.stringify(end) }).andWhere('ended IS NULL')
    return (await ending.execute()).affected === 1
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore) {
    const rows = this.#live(lookedUp(lookUp))
      .andWhere('record."accountId" IS NOT NULL')
      .orderBy('record.iat', 'DESC')
      .addOrderBy('record.id COLLATE "C"', 'DESC')
      .limit(limit)
    const position = before && { iat: before.iat, before: keyOf(before.id) }
    if (position) rows.andWhere('(record.iat, record.id COLLATE "C") < (:iat, :before)', position)
    return (await rows.getMany()).map(found)
  }

  async endedIndices(list: string) {
    const rows = await this.#live({ statusList: keyOf(list) })
      .andWhere('record.ended IS NOT NULL AND record."statusIndex" IS NOT NULL')
      .select('record."statusIndex"', 'statusIndex')
      .distinct()
      .getRawMany<{ statusIndex: number }>()
    return rows.map(({ statusIndex }) => statusIndex)
  }

  #updating(id: string, values: Partial<Row>) {
    return this.#source
      .createQueryBuilder()
      .update(OidcRecord)
      .set(values)
      .where({ model: this.#model, id: keyOf(id) })
      .andWhere(live, { now: new Date() })
  }

  #live(where: Partial<Row>) {
    return this.#source
      .createQueryBuilder(OidcRecord, 'record')
      .where({ model: this.#model, ...where })
      .andWhere(live, { now: new Date() })
  }

  async #find(where: Partial<Row>) {
    const row = await this.#live(where).getOne()
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
    await this.#source.getRepository(OidcRecord).delete({ model: this.#model, id: keyOf(id) })
  }

  async revokeByGrantId(grantId: string) {
    const where = { model: this.#model, grantId: keyOf(grantId) }
    await this.#source.getRepository(OidcRecord).delete(where)
  }
}

function found(row: Row) {
  return payloadOf(JSON.parse(row.payload), row)
}
