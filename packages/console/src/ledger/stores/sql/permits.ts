import { storable } from 'oidc-provider-impersonation-verify/chain'
import type { PermitFilter } from '../../filters.ts'
import type { AuditStore } from '../../store.ts'
import { parseRowCursor, rowCursor } from '../cursor.ts'
import { asNumber, type Condition, ifGiven, isDue, isRowId, whereOf } from '../row-columns.ts'
import { markedEntryOf, textIn } from '../stored-columns.ts'
import { sumReader } from '../sums.ts'
import type { SqlDialect, SqlQuery } from './dialect.ts'

const PERMIT = `${asNumber('version')}, CAST(data AS text) AS data`
const READ_PERMIT = `SELECT ${PERMIT} FROM impersonation_audit_record`

/** Permits in a SQL database. */
export function sqlPermits(
  dialect: SqlDialect,
): Pick<AuditStore, 'permit' | 'permits' | 'permitsInForce' | 'slotHolder'> {
  const { permitIn } = sumReader(dialect.isCanonical)
  const read = (text: string, ...values: SqlQuery['values']) => dialect.read({ text, values })
  const readPermits = async (text: string, ...values: SqlQuery['values']) =>
    (await read(`${READ_PERMIT} ${text}`, ...values)).map(permitIn)

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
        `SELECT found.*, CAST(number AS float8) AS number, digest, text, mac FROM (
  SELECT id, ${PERMIT} FROM impersonation_audit_record AS newest WHERE ${dialect.isIn('slot')} AND NOT EXISTS (
    SELECT 1 FROM impersonation_audit_record AS later WHERE later.slot = newest.slot AND later.first > newest.first)
  UNION SELECT id, ${PERMIT} FROM impersonation_audit_record
  WHERE customer = ? AND operator = ? AND state = 'granted' AND (over_at IS NULL OR over_at > ?)
) AS found LEFT JOIN impersonation_audit_entry AS entry ON subject = found.id ORDER BY number`,
        JSON.stringify(slots),
        ...facts,
        notOverAt,
      )
      const permits = Map.groupBy(found, (columns) => textIn(columns, 'id'))
      return [...permits.values()].map(([first = {}, ...others]) => ({
        ...permitIn(first),
        entries: [first, ...others].filter(({ number }) => number !== null).map(markedEntryOf),
      }))
    },

    async permits(filter, { before, limit, oldestFirst }) {
      const [direction, sign] = oldestFirst ? ['ASC', '>'] : ['DESC', '<']
      const beyond = ifGiven(before, (cursor) => {
        const { at, id } = parseRowCursor(cursor)
        return { sql: `(at, id) ${sign} (CAST(? AS bigint), ?)`, values: [at, id] }
      })
      const { where, values } = whereOf([...conditionsOf(filter), ...beyond])
      const found = await readPermits(
        `WHERE ${where} ORDER BY at ${direction}, id ${direction} LIMIT ?`,
        ...values,
        limit + 1,
      )
      const permits = found.slice(0, limit)
      const last = permits.at(-1)
      return { permits, next: found.length > limit && last ? rowCursor(last) : undefined }
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
