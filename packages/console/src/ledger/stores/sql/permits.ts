import { storable } from 'oidc-provider-impersonation-verify/chain'
import type { PermitFilter } from '../../filters.ts'
import type { AuditStore } from '../../store.ts'
import { type Condition, ifGiven, isDue, isRowId } from '../row-columns.ts'
import { markedEntryOf, textIn } from '../stored-columns.ts'
import { sumReader } from '../sums.ts'
import type { SqlDialect, SqlQuery } from './dialect.ts'
import { asNumber, orderOf, pageOf, query, whereOf } from './query.ts'
import { ENTRY_TABLE, PERMIT_TABLE } from './tables.ts'

const PERMIT = `${asNumber('version')}, CAST(data AS text) AS data`
const READ_PERMIT = `SELECT ${PERMIT} FROM ${PERMIT_TABLE}`

/** Permits in a SQL database. */
export function sqlPermits({
  read,
  isIn,
  isCanonical,
}: SqlDialect): Pick<AuditStore, 'permit' | 'permits' | 'permitsInForce' | 'slotHolder'> {
  const { permitIn } = sumReader(isCanonical)
  const readPermits = async (text: string, ...values: SqlQuery['values']) =>
    (await read(query(`${READ_PERMIT} ${text}`, ...values))).map(permitIn)

  return {
    async permit(id) {
      if (!isRowId(id)) return undefined
      const [permit] = await readPermits('WHERE id = ?', id)
      return permit
    },

    // The clocks of two processes differ: the order in which they were stored decides.
    async slotHolder(slot) {
      const [permit] = await readPermits('WHERE slot = ? ORDER BY first DESC LIMIT 1', slot)
      return permit
    },

    async permitsInForce({ slots, granted }) {
      const { customer, operator, notOverAt = 0 } = granted ?? {}
      const facts = [customer, operator].map((id) => (id === undefined ? null : storable(id)))
      const found = await read(
        query(
          `SELECT found.*, CAST(number AS float8) AS number, digest, text, mac FROM (
  SELECT id, ${PERMIT} FROM ${PERMIT_TABLE} AS newest WHERE ${isIn('slot')} AND NOT EXISTS (
    SELECT 1 FROM ${PERMIT_TABLE} AS later WHERE later.slot = newest.slot AND later.first > newest.first)
  UNION SELECT id, ${PERMIT} FROM ${PERMIT_TABLE}
  WHERE customer = ? AND operator = ? AND state = 'granted' AND (over_at IS NULL OR over_at > ?)
) AS found LEFT JOIN ${ENTRY_TABLE} AS entry ON subject = found.id ORDER BY number`,
          ...[JSON.stringify(slots), ...facts, notOverAt],
        ),
      )
      const permits = Map.groupBy(found, (columns) => textIn(columns, 'id'))
      return [...permits.values()].map(([first = {}, ...others]) => ({
        ...permitIn(first),
        entries: [first, ...others].filter(({ number }) => number !== null).map(markedEntryOf),
      }))
    },

    async permits(filter, { before, limit, oldestFirst }) {
      const { order, isBeyond } = orderOf(oldestFirst)
      const beyond = before === undefined ? [] : [isBeyond(before)]
      const { where, values } = whereOf([...conditionsOf(filter), ...beyond])
      const found = await readPermits(
        `WHERE ${where} ORDER BY ${order} LIMIT ?`,
        ...[...values, limit + 1],
      )
      const { items, next } = pageOf(found, limit, (permit) => permit)
      return { permits: items, next }
    },
  }
}

function conditionsOf(filter: PermitFilter): Condition[] {
  const compared = (sql: string) => (value: string | number) => ({
    sql,
    values: [typeof value === 'string' ? storable(value) : value],
  })
  return [
    ifGiven(filter.from, compared('at >= ?')),
    ifGiven(filter.to, compared('at < ?')),
    ifGiven(filter.customer, compared('customer = ?')),
    ifGiven(filter.operator, compared('operator = ?')),
    ifGiven(filter.kind, compared('kind = ?')),
    ifGiven(filter.state, compared('state = ?')),
    ifGiven(filter.notOverAt, compared('(over_at IS NULL OR over_at > ?)')),
    ifGiven(filter.isReviewDue, () => ({ sql: 'review_due', values: [] })),
    ifGiven(filter.due, isDue),
  ].flat()
}
