import type { StoredPermit } from 'oidc-provider-impersonation-verify/format'
import type { Decision, PermitFilter, PermitStore } from '../../permit-store.ts'
import { UnstorableError } from '../../unstorable.ts'
import { entriesOf } from '../batch-columns.ts'
import { rowCursor } from '../cursor.ts'
import { encodePermit, isUpToDate, permitIn } from '../permit-record.ts'
import { type Condition, indexable, isRowId } from '../row-columns.ts'
import { namedEntriesIn } from '../stored-columns.ts'
import type { SqlDialect, SqlQuery, Steps } from './dialect.ts'
import { orderOf } from './order.ts'
import { addRemoved } from './removed.ts'
import { statementsOf } from './statements.ts'
import { PERMIT_COLUMNS, PERMIT_TABLE, WRITER_TABLE } from './tables.ts'

type Value = SqlQuery['values'][number]

const COLUMN_NAMES = PERMIT_COLUMNS.map(([name]) => name)
const REPLACED_COLUMNS = COLUMN_NAMES.filter((name) => name !== 'id').map(
  (name) => `${name} = excluded.${name}`,
)

/** Writer, number of the batch. */
const WRITTEN_QUERY = `SELECT writer FROM ${WRITER_TABLE} WHERE writer = ? AND batch >= ?`

/** Permits in a SQL database. */
export function sqlPermits(dialect: SqlDialect): PermitStore {
  const statements = statementsOf(dialect)
  const { writeBatch, writeEntries, removePermits, removeEntries } = statements
  const { filedPermits, heldBy, lockedPermit, permitById, permitsWhere } = statements
  // The clocks of two processes differ: the order in which they were stored decides.
  /** Slot, permit. */
  const writePermit = `
INSERT INTO ${PERMIT_TABLE} (place, ${COLUMN_NAMES.join(', ')})
SELECT (SELECT coalesce(max(place), 0) + 1 FROM ${PERMIT_TABLE} WHERE slot = ?), ${COLUMN_NAMES.join(', ')}
FROM ${dialect.recordsOf(PERMIT_COLUMNS)} AS new WHERE true
ON CONFLICT (id) DO UPDATE SET ${REPLACED_COLUMNS.join(', ')}`

  const read = async (text: string, ...values: Value[]) =>
    (await dialect.read({ text, values })).map(permitIn)

  function* decide(decision: Decision): Steps<boolean> {
    const { batch, permit, replaces } = decision
    const { writer, number, records } = batch
    const written = yield [query(WRITTEN_QUERY, writer, number)]
    if (written.length > 0) return true
    const [stored] = yield [query(lockedPermit, permit.id)]
    // A slot that is null is none.
    const [holder] = yield [query(heldBy, replaces === 0 ? (permit.slot ?? null) : null)]
    if (!isUpToDate(decision, stored && permitIn(stored), holder && permitIn(holder))) return false
    const last = records.at(-1)
    const entries = JSON.stringify(entriesOf(batch).entries)
    yield [query(writeBatch, writer, number, last?.sequence ?? null, last?.hash ?? null)]
    yield [query(writeEntries, writer, entries)]
    yield [query(writePermit, permit.slot ?? null, JSON.stringify([columnsOf(permit)]))]
    return true
  }

  function* remove(id: string, mayGo: (permit: StoredPermit) => boolean): Steps<boolean> {
    const [stored] = yield [query(lockedPermit, id)]
    if (!stored || !mayGo(permitIn(stored))) return false
    const ids = JSON.stringify([id])
    yield [query(removePermits, ids)]
    yield* addRemoved(statements, yield [query(removeEntries, ids)])
    return true
  }

  return {
    async decide(decision) {
      try {
        return await dialect.inTransaction('add', () => decide(decision))
      } catch (error) {
        const refusal = dialect.refusalOf(error)
        throw refusal === undefined ? error : new UnstorableError(refusal, { cause: error })
      }
    },

    async removePermit(id, mayGo) {
      return isRowId(id) && dialect.inTransaction('remove', () => remove(id, mayGo))
    },

    async permit(id) {
      if (!isRowId(id)) return undefined
      const [permit] = await read(permitById, id)
      return permit
    },

    async slotHolder(slot) {
      const [permit] = await read(heldBy, slot)
      return permit
    },

    async filedPermits({ before, limit }) {
      const { order, isBeyond } = orderOf(undefined)
      const { sql, values } = before === undefined ? { sql: 'true', values: [] } : isBeyond(before)
      const found = await dialect.read({
        text: filedPermits(sql, order),
        values: [...values, limit + 1],
      })
      const permits = found.slice(0, limit).map((columns) => {
        return { permit: permitIn(columns), entries: namedEntriesIn(columns) }
      })
      const last = permits.at(-1)?.permit
      return { permits, next: found.length > limit && last ? rowCursor(last) : undefined }
    },

    async permits(filter, { before, limit, oldestFirst }) {
      const conditions = conditionsOf(filter)
      const { order, isBeyond } = orderOf(oldestFirst)
      if (before !== undefined) conditions.push(isBeyond(before))
      const where = conditions.map(({ sql }) => sql).join(' AND ') || 'true'
      const found = await read(
        permitsWhere(where, order),
        ...conditions.flatMap(({ values }) => values),
        limit + 1,
      )
      const permits = found.slice(0, limit)
      const last = permits.at(-1)
      return { permits, next: found.length > limit && last ? rowCursor(last) : undefined }
    },
  }
}

function columnsOf(permit: StoredPermit) {
  const { id, at, customer, operator, slot, state, isReviewDue, overAt, noticeDueAt } = permit
  return {
    ...{ id, at, state, slot: slot ?? null },
    customer: customer === undefined ? null : indexable(customer),
    operator: operator === undefined ? null : indexable(operator),
    review_due: isReviewDue ? 1 : null,
    over_at: overAt ?? null,
    notice_due_at: noticeDueAt ?? null,
    data: encodePermit(permit),
  }
}

function conditionsOf(filter: PermitFilter): Condition[] {
  const { customer, operator, state, notOverAt, isReviewDue, noticeDueBefore } = filter
  const is = (sql: string, ...values: (string | number)[]): Condition => ({ sql, values })
  return [
    customer === undefined ? [] : is('customer = ?', indexable(customer)),
    operator === undefined ? [] : is('operator = ?', indexable(operator)),
    state === undefined ? [] : is('state = ?', state),
    notOverAt === undefined ? [] : is('(over_at IS NULL OR over_at > ?)', notOverAt),
    isReviewDue ? is('review_due IS NOT NULL') : [],
    noticeDueBefore === undefined
      ? []
      : is('notice_due_at IS NOT NULL AND notice_due_at < ?', noticeDueBefore),
  ].flat()
}

function query(text: string, ...values: Value[]): SqlQuery {
  return { text, values }
}
