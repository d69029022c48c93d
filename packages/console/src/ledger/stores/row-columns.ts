import { indexable } from 'oidc-provider-impersonation-verify/chain'
import { type Outcome, ticketKey } from 'oidc-provider-impersonation-verify/format'
import type { DueFilter, RowFilter } from '../filters.ts'
import { joined, raw, type Sql, sql } from './sql/sql.ts'

/** Returns true if a text can be the id of a row. PostgreSQL refuses to compare with some that cannot. */
export function isRowId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id)
}

/** A bigint of pg arrives as text. As a float it is a number, and exact below 2^53. */
export const asNumber = (name: string) => raw(`CAST(${name} AS float8) AS ${name}`)

/** A condition whose rows an index has in their order. */
export interface IndexedCondition {
  readonly condition: Sql
  /** The first column of the index, and its one value; `undefined` where the index has these rows alone. */
  readonly key?: { readonly column: Sql; readonly value: string }
  /** Few rows of a large audit have it. */
  readonly isRare: boolean
}

/** A condition that all of these hold. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  joined([raw('true'), ...conditions], ' AND ')

/** A condition for what a filter has. */
export function ifGiven<Value, Made>(
  value: Value | undefined,
  conditionOf: (value: Value) => Made,
): Made[] {
  return value === undefined ? [] : [conditionOf(value)]
}

/** Of a row or a permit. */
export function isDue({ to, before }: DueFilter): Sql {
  const column = raw(`${to}_due_at`)
  return sql`${column} IS NOT NULL AND ${column} < ${before}`
}

const STARTED = sql`end_cause IS NULL AND started_at IS NOT NULL`
const NOT_STARTED = sql`end_cause IS NULL AND started_at IS NULL`
const ASKED = sql`asked_at IS NOT NULL`

type OfOutcome = readonly [indexed: Sql, ...others: Sql[]]

/** In the same way as `outcomeOf`: the first condition is that of an index. Other outcomes are causes of an end. */
function outcomesAt(now: number): Partial<Record<Outcome, OfOutcome>> {
  const over = sql`(expires_at IS NULL OR expires_at <= ${now})`
  const notOver = sql`expires_at > ${now}`
  return {
    running: [STARTED, notOver],
    expired: [STARTED, over],
    waiting: [NOT_STARTED, ASKED, notOver],
    unused: [NOT_STARTED, ASKED, over],
    refused: [NOT_STARTED, sql`asked_at IS NULL`],
  }
}

/**
 * The comparisons of a filter, beside times and words: the first that is indexed is expected to have the fewest rows, and
 * the others have to be looked at in each row.
 *
 * @param now for outcomes, in milliseconds since the epoch
 */
export function comparisonsOf(filter: RowFilter, now: number) {
  const { outcome, alarm, held } = filter
  const has = (condition: Sql, isRare = true): IndexedCondition => ({ condition, isRare })
  const is =
    (column: Sql, isRare = true) =>
    (text: string): IndexedCondition => {
      const value = indexable(text)
      return { condition: sql`${column} = ${value}`, key: { column, value }, isRare }
    }
  const [indexed, ...others] = (outcome && outcomesAt(now)[outcome]) ?? []
  return {
    indexed: [
      ifGiven(filter.due, (due) => has(isDue(due))),
      ifGiven(filter.ticket, (ticket) => is(raw('ticket'))(ticketKey(ticket))),
      ifGiven(filter.customer, is(raw('customer'))),
      alarm === 'objection' ? has(sql`objected_at IS NOT NULL`) : [],
      held ? has(sql`held_at IS NOT NULL`) : [],
      alarm === 'open' ? has(sql`open_alarm_at IS NOT NULL`) : [],
      alarm === 'any' ? has(sql`alarm_at IS NOT NULL`, false) : [],
      ifGiven(filter.operator, is(raw('operator'), false)),
      ifGiven(indexed ? undefined : outcome, is(raw('end_cause'), false)),
      ifGiven(indexed, (condition) => has(condition, false)),
    ].flat(),
    others,
  }
}
