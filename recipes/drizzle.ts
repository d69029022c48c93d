import { and, eq, gt, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { bigint, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import type { AdapterPayload } from 'oidc-provider'
import type {
  ConsumptionNote,
  EndingAdapter,
  EndNote,
  ListedBefore,
  LookUp,
} from 'oidc-provider-impersonation/adapters/contract'
import { type Fate, keyOf, lookedUp, memberKey, payloadOf, recordOf } from './record.ts'
import { AFTER, keptColumns, NEWEST_FIRST } from './sql.ts'

export const records = pgTable(
  'oidc_records',
  {
    model: text().notNull(), // any name: nothing to add for SubjectToken
    id: text().notNull(),
    payload: text().notNull(),
    grantId: text(),
    userCode: text(),
    uid: text(),
    expiresAt: timestamp({ withTimezone: true }),
    consumedAt: timestamp({ withTimezone: true }),
    accountId: text(),
    clientId: text(),
    actor: text(),
    iat: bigint({ mode: 'number' }),
    statusList: text(),
    statusIndex: integer(),
    note: text(),
    noteActor: text(),
    ended: text(),
  },
  (table) => [
    primaryKey({ columns: [table.model, table.id] }),
    index().on(table.grantId),
    index().on(table.userCode),
    index().on(table.uid),
    index().on(table.expiresAt),
    index().on(table.accountId, table.iat),
    index().on(table.actor, table.iat),
    index().on(table.clientId, table.iat),
    index().on(table.statusList),
  ],
)

export class DrizzleAdapter implements EndingAdapter {
  readonly consumesEveryModel = true
  readonly #db: NodePgDatabase
  readonly #model: string

  constructor(model: string, db: NodePgDatabase) {
    this.#db = db
    this.#model = model
  }

  async consumeOnce(id: string, note?: ConsumptionNote) {
    const noteActor = memberKey(note?.actor)
    const won = await this.#db
      .update(records)
      .set({
        consumedAt: new Date(),
        ...(note && { note: JSON.stringify(note) }),
        ...(noteActor && { noteActor, actor: noteActor }),
      })
      .where(
        this.#live(eq(records.id, keyOf(id)), isNull(records.consumedAt), isNull(records.ended)),
      )
      .returning({ id: records.id })
    return won.length === 1
  }

  async consume(id: string) {
    await this.#db
      .update(records)
      .set({ consumedAt: new Date() })
      .where(this.#live(eq(records.id, keyOf(id))))
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number) {
    const record = {
      payload: JSON.stringify(payload),
      ...recordOf(this.#model, payload, expiresIn),
    }
    const kept = Object.entries(keptColumns('oidc_records'))
    await this.#db
      .insert(records)
      .values({ model: this.#model, id: keyOf(id), ...record })
      .onConflictDoUpdate({
        target: [records.model, records.id],
        set: {
          ...record,
          ...Object.fromEntries(kept.map(([name, text]) => [name, sql.raw(text)])),
        },
      })
  }

  async endOnce(id: string, end: EndNote) {
    const won = await this.#db
      .update(records)
      .set({ ended: JSON.stringify(end) })
      .where(this.#live(eq(records.id, keyOf(id)), isNull(records.ended)))
      .returning({ id: records.id })
    return won.length === 1
  }

  async list(lookUp: LookUp, limit: number, before?: ListedBefore) {
    const { accountId, actor, clientId } = lookedUp(lookUp)
    const rows = await this.#db
      .select()
      .from(records)
      .where(
        this.#live(
          accountId ? eq(records.accountId, accountId) : isNotNull(records.accountId),
          actor ? eq(records.actor, actor) : undefined,
          clientId ? eq(records.clientId, clientId) : undefined,
          before && sql`${sql.raw(AFTER)}(${before.iat}, ${keyOf(before.id)})`,
        ),
      )
      .orderBy(sql.raw(NEWEST_FIRST))
      .limit(limit)
    return rows.map(found)
  }

  async endedIndices(list: string) {
    const ofList = eq(records.statusList, keyOf(list))
    const rows = await this.#db
      .selectDistinct({ index: records.statusIndex })
      .from(records)
      .where(this.#live(ofList, isNotNull(records.ended), isNotNull(records.statusIndex)))
    return rows.map(({ index }) => Number(index))
  }

  #live(...conditions: (SQL | undefined)[]) {
    const live = or(isNull(records.expiresAt), gt(records.expiresAt, new Date()))
    return and(eq(records.model, this.#model), live, ...conditions)
  }

  async #find(condition: SQL) {
    const [row] = await this.#db.select().from(records).where(this.#live(condition)).limit(1)
    return row && found(row)
  }

  find(id: string) {
    return this.#find(eq(records.id, keyOf(id)))
  }

  findByUid(uid: string) {
    return this.#find(eq(records.uid, keyOf(uid)))
  }

  findByUserCode(userCode: string) {
    return this.#find(eq(records.userCode, keyOf(userCode)))
  }

  async destroy(id: string) {
    await this.#delete(eq(records.id, keyOf(id)))
  }

  async revokeByGrantId(grantId: string) {
    await this.#delete(eq(records.grantId, keyOf(grantId)))
  }

  async #delete(condition: SQL) {
    await this.#db.delete(records).where(and(eq(records.model, this.#model), condition))
  }
}

function found(row: { payload: string } & Fate) {
  return payloadOf(JSON.parse(row.payload), row)
}
