import { storable } from 'oidc-provider-impersonation-verify/chain'
import type { Decision } from '../../batch.ts'
import type { PermitFilter } from '../../filters.ts'
import type { AuditStore } from '../../store.ts'
import { entriesOf } from '../batch-columns.ts'
import { encodePermit, isUpToDate, permitIn } from '../permit-record.ts'
import { type Condition, isRowId } from '../row-columns.ts'
import { namedEntriesIn, type ResultRow } from '../stored-columns.ts'
import type { SqlDialect, SqlQuery, Steps } from './dialect.ts'
import { orderOf, pageOf, query, whereOf } from './query.ts'
import { removeOne } from './removed.ts'
import { statementsOf } from './statements.ts'
import { WRITER_TABLE } from './tables.ts'

type Value = SqlQuery['values'][number]

/** Writer, number of the batch. */
const WRITTEN_QUERY = `SELECT writer FROM ${WRITER_TABLE} WHERE writer = ? AND batch >= ?`

/** Permits in a SQL database. */
export function sqlPermits(
  dialect: SqlDialect,
): Pick<
  AuditStore,
  | 'decide'
  | 'filedPermits'
  | 'permit'
  | 'permits'
  | 'permitsInForce'
  | 'removePermit'
  | 'slotHolder'
> {
  const statements = statementsOf(dialect)
  const { writeBatch, writeEntries, writePermits, removePermits } = statements
  const { filedPermits, heldBy, lockedPermits, permitById, permitsWhere } = statements
  const read = async (text: string, ...values: Value[]) =>
    (await dialect.read(query(text, ...values))).map(permitIn)

  function* decide(decision: Decision): Steps<boolean> {
    const { batch, permit, replaces } = decision
    const { writer, number, records } = batch
    const written = yield [query(WRITTEN_QUERY, writer, number)]
    if (written.length > 0) return true
    const [stored] = yield [query(lockedPermits, JSON.stringify([permit.id]))]
    // A slot that is null is none.
    const [holder] = yield [query(heldBy, replaces === 0 ? (permit.slot ?? null) : null)]
    if (!isUpToDate(decision, stored && permitIn(stored), holder && permitIn(holder))) return false
    const last = records.at(-1)
    const entries = JSON.stringify(entriesOf(batch).entries)
    yield [query(writeBatch, writer, number, last?.sequence ?? null, last?.hash ?? null)]
    yield [query(writeEntries, writer, entries)]
    const { id } = permit
    yield [query(writePermits, JSON.stringify([{ id, data: encodePermit(permit) }]))]
    return true
  }

  return {
    decide: (decision) => dialect.inTransaction('add', () => decide(decision)),

    async removePermit(id, mayGo) {
      const one = { id, locked: lockedPermits, remove: removePermits }
      const may = (found: ResultRow) => mayGo(permitIn(found))
      return isRowId(id) && dialect.inTransaction('remove', () => removeOne(statements, one, may))
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

    async permitsInForce({ slots, granted }) {
      const { customer, operator, notOverAt = 0 } = granted ?? {}
      const facts = [customer, operator].map((id) => (id === undefined ? null : storable(id)))
      return read(statements.permitsInForce, JSON.stringify(slots), ...facts, notOverAt)
    },

    async filedPermits({ before, limit }) {
      const { order, isBeyond } = orderOf(undefined)
      const { where, values } = whereOf(before === undefined ? [] : [isBeyond(before)])
      const found = await dialect.read(query(filedPermits(where, order), ...values, limit + 1))
      const filed = found.map((columns) => {
        return { permit: permitIn(columns), entries: namedEntriesIn(columns) }
      })
      const { items, next } = pageOf(filed, limit, ({ permit }) => permit)
      return { permits: items, next }
    },

    async permits(filter, { before, limit, oldestFirst }) {
      const { order, isBeyond } = orderOf(oldestFirst)
      const beyond = before === undefined ? [] : [isBeyond(before)]
      const { where, values } = whereOf([...conditionsOf(filter), ...beyond])
      const found = await read(permitsWhere(where, order), ...values, limit + 1)
      const { items, next } = pageOf(found, limit, (permit) => permit)
      return { permits: items, next }
    },
  }
}

function conditionsOf(filter: PermitFilter): Condition[] {
  const { from, to, customer, operator, state, notOverAt, isReviewDue } = filter
  const { noticeDueBefore, alertDueBefore } = filter
  const is = (sql: string, ...values: (string | number)[]): Condition => ({ sql, values })
  return [
    from === undefined ? [] : is('at >= ?', from),
    to === undefined ? [] : is('at < ?', to),
    customer === undefined ? [] : is('customer = ?', storable(customer)),
    operator === undefined ? [] : is('operator = ?', storable(operator)),
    state === undefined ? [] : is('state = ?', state),
    notOverAt === undefined ? [] : is('(over_at IS NULL OR over_at > ?)', notOverAt),
    isReviewDue ? is('review_due') : [],
    noticeDueBefore === undefined
      ? []
      : is('notice_due_at IS NOT NULL AND notice_due_at < ?', noticeDueBefore),
    alertDueBefore === undefined
      ? []
      : is('alert_due_at IS NOT NULL AND alert_due_at < ?', alertDueBefore),
  ].flat()
}
