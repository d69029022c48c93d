import { storable } from 'oidc-provider-impersonation-verify/chain'
import type { PermitFilter } from '../../filters.ts'
import type { ListPage, RecordWithEntries } from '../../store.ts'
import { parseRowCursor, rowCursor } from '../cursor.ts'
import { allOf, asNumber, ifGiven, isDue } from '../row-columns.ts'
import { storedEntryOf, textIn } from '../stored-columns.ts'
import { sumReader } from '../sums.ts'
import type { SqlDialect } from './dialect.ts'
import { type Sql, sql } from './sql.ts'

const PERMIT = sql`${asNumber('version')}, CAST(data AS text) AS data`

/** The slots, and the facts of a start. */
export interface Wanted {
  readonly slots: readonly string[]
  readonly granted?:
    | { readonly customer: string; readonly operator: string; readonly notOverAt: number }
    | undefined
}

/** Permits in a SQL database. */
export function sqlPermits(dialect: SqlDialect) {
  const { permitIn } = sumReader(dialect.isCanonical)
  const readPermits = async (which: Sql) =>
    (await dialect.read(sql`SELECT ${PERMIT} FROM impersonation_audit_record ${which}`)).map(
      permitIn,
    )

  return {
    /** The newest permit with this slot: the one whose first entry was stored last, whatever its `at`. */
    async slotHolder(slot: string) {
      const [permit] = await readPermits(sql`WHERE slot = ${slot} ORDER BY first DESC LIMIT 1`)
      return permit
    },

    /**
     * All that decides whether somebody may start, by one statement: the newest permit of each of these slots,
     * and those that are granted to the operator for the customer and are not over. In any order.
     */
    async permitsInForce({ slots, granted }: Wanted): Promise<RecordWithEntries[]> {
      const { customer = null, operator = null, notOverAt = 0 } = granted ?? {}
      const ofSlots = dialect.isIn(sql`slot`, slots)
      const [of, by] = [customer && storable(customer), operator && storable(operator)]
      const found = await dialect.read(sql`
SELECT found.*, CAST(number AS float8) AS number, digest, text, mac FROM (
  SELECT id, ${PERMIT} FROM impersonation_audit_record AS newest WHERE ${ofSlots} AND NOT EXISTS (
    SELECT 1 FROM impersonation_audit_record AS later WHERE later.slot = newest.slot AND later.first > newest.first)
  UNION SELECT id, ${PERMIT} FROM impersonation_audit_record
  WHERE customer = ${of} AND operator = ${by} AND state = 'granted' AND (over_at IS NULL OR over_at > ${notOverAt})
) AS found LEFT JOIN impersonation_audit_entry AS entry ON subject = found.id ORDER BY number`)
      const permits = Map.groupBy(found, (columns) => textIn(columns, 'id'))
      return [...permits.values()].map(([first = {}, ...others]) => ({
        ...permitIn(first),
        entries: [first, ...others].filter(({ number }) => number !== null).map(storedEntryOf),
      }))
    },

    /**
     * The newest `limit` permits that match, older than the cursor (or of all). With `oldestFirst`, the
     * oldest ones, newer than the cursor.
     */
    async permits(filter: PermitFilter, { before, limit, oldestFirst }: ListPage) {
      const [direction, sign] = oldestFirst ? [sql`ASC`, sql`>`] : [sql`DESC`, sql`<`]
      const beyond = ifGiven(before, (cursor) => {
        const { at, id } = parseRowCursor(cursor)
        return sql`(at, id) ${sign} (CAST(${at} AS bigint), ${id})`
      })
      const where = allOf([...conditionsOf(filter), ...beyond])
      const order = sql`at ${direction}, id ${direction}`
      const found = await readPermits(sql`WHERE ${where} ORDER BY ${order} LIMIT ${limit + 1}`)
      const permits = found.slice(0, limit)
      const last = permits.at(-1)
      return { permits, next: found.length > limit && last ? rowCursor(last) : undefined }
    },
  }
}

function conditionsOf(filter: PermitFilter): Sql[] {
  return [
    ifGiven(filter.from, (from) => sql`at >= ${from}`),
    ifGiven(filter.to, (to) => sql`at < ${to}`),
    ifGiven(filter.customer, (id) => sql`customer = ${storable(id)}`),
    ifGiven(filter.operator, (id) => sql`operator = ${storable(id)}`),
    ifGiven(filter.kind, (kind) => sql`kind = ${kind}`),
    ifGiven(filter.state, (state) => sql`state = ${state}`),
    ifGiven(filter.notOverAt, (now) => sql`(over_at IS NULL OR over_at > ${now})`),
    ifGiven(filter.isReviewDue, () => sql`review_due`),
    ifGiven(filter.due, isDue),
  ].flat()
}
