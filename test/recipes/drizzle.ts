import { and, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import type { AdapterPayload } from 'oidc-provider'
import type { SingleUseAdapter } from '../../src/adapters/contract.ts'
import { keyOf, payloadOf, recordOf } from './record.ts'

// #region recipe
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
  },
  (table) => [
    primaryKey({ columns: [table.model, table.id] }),
    index().on(table.grantId),
    index().on(table.userCode),
    index().on(table.uid),
    index().on(table.expiresAt),
  ],
)

export class DrizzleAdapter implements SingleUseAdapter {
  readonly consumesEveryModel = true
  readonly #db: NodePgDatabase
  readonly #model: string

  constructor(model: string, db: NodePgDatabase) {
    this.#db = db
    this.#model = model
  }

  async consumeOnce(id: string) {
    const won = await this.#db
      .update(records)
      .set({ consumedAt: new Date() })
      .where(this.#live(eq(records.id, keyOf(id)), isNull(records.consumedAt)))
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
    const record = { payload: JSON.stringify(payload), ...recordOf(payload, expiresIn) }
    const consumedAt = sql`coalesce(
      CASE WHEN ${records.expiresAt} IS NULL OR ${gt(records.expiresAt, new Date())}
        THEN ${records.consumedAt} END,
      excluded."consumedAt")`
    await this.#db
      .insert(records)
      .values({ model: this.#model, id: keyOf(id), ...record })
      .onConflictDoUpdate({
        target: [records.model, records.id],
        set: { ...record, consumedAt },
      })
  }

  #live(...conditions: SQL[]) {
    const live = or(isNull(records.expiresAt), gt(records.expiresAt, new Date()))
    return and(eq(records.model, this.#model), live, ...conditions)
  }
  // #endregion

  async #find(condition: SQL) {
    const [row] = await this.#db.select().from(records).where(this.#live(condition)).limit(1)
    return row && payloadOf(JSON.parse(row.payload), row.consumedAt)
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
