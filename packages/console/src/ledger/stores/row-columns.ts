import { indexable } from 'oidc-provider-impersonation-verify/chain'
import { type Outcome, ticketKey } from 'oidc-provider-impersonation-verify/format'
import type { DueFilter, RowFilter } from '../filters.ts'

/** Whether a text can be the id of a row. PostgreSQL refuses to compare with some that cannot. */
export function isRowId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id)
}

/** A bigint of pg arrives as text. As a float it is a number, and exact below 2^53. */
export const asNumber = (name: string) => `CAST(${name} AS float8) AS ${name}`

/** A part of a `WHERE` clause, with `?` for each value. */
export interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

/** A condition whose rows an index has in their order. */
export interface IndexedCondition extends Condition {
  /** The first column of the index, which has one value; `undefined` where the index has these rows alone. */
  readonly column?: 'customer' | 'end_cause' | 'operator' | 'ticket'
  /** Whether few rows of a large audit have it. */
  readonly isRare: boolean
}

export function whereOf(conditions: readonly Condition[]) {
  return {
    where: conditions.map(({ sql }) => sql).join(' AND ') || 'true',
    values: conditions.flatMap(({ values }) => values),
  }
}

/** A condition for what a filter has. */
export function ifGiven<Value, Made extends Condition>(
  value: Value | undefined,
  conditionOf: (value: Value) => Made,
): Made[] {
  return value === undefined ? [] : [conditionOf(value)]
}

/** Of a row or a permit. */
export function isDue({ to, before }: DueFilter): Condition {
  return { sql: `${to}_due_at IS NOT NULL AND ${to}_due_at < ?`, values: [before] }
}

const STARTED = 'end_cause IS NULL AND started_at IS NOT NULL'
const NOT_STARTED = 'end_cause IS NULL AND started_at IS NULL'
const ASKED = 'asked_at IS NOT NULL'
const OVER = '(expires_at IS NULL OR expires_at <= ?)'
const NOT_OVER = 'expires_at > ?'

/** In the same way as `outcomeOf`: the first is that of an index, and a value is the time. Others have ended. */
const OUTCOMES: Partial<Record<Outcome, readonly [indexed: string, ...others: string[]]>> = {
  running: [STARTED, NOT_OVER],
  expired: [STARTED, OVER],
  waiting: [NOT_STARTED, ASKED, NOT_OVER],
  unused: [NOT_STARTED, ASKED, OVER],
  refused: [NOT_STARTED, 'asked_at IS NULL'],
}

/**
 * What a filter compares, beside times and words: the first that is indexed is expected to have the fewest rows, and
 * the others have to be looked at in each row.
 *
 * @param now for outcomes, in milliseconds since the epoch
 */
export function comparisonsOf(filter: RowFilter, now: number) {
  const { outcome, alarm, held } = filter
  const has = (sql: string, isRare = true, ...values: number[]): IndexedCondition => {
    return { sql, values, isRare }
  }
  const is =
    (column: NonNullable<IndexedCondition['column']>, isRare = true) =>
    (value: string): IndexedCondition => {
      return { sql: `${column} = ?`, values: [indexable(value)], column, isRare }
    }
  const [indexed, ...others] = (outcome && OUTCOMES[outcome]) ?? []
  return {
    indexed: [
      ifGiven(filter.due, (due) => ({ ...isDue(due), isRare: true })),
      ifGiven(filter.ticket, (ticket) => is('ticket')(ticketKey(ticket))),
      ifGiven(filter.customer, is('customer')),
      alarm === 'objection' ? has('objected_at IS NOT NULL') : [],
      held ? has('held_at IS NOT NULL') : [],
      alarm === 'open' ? has('open_alarm_at IS NOT NULL') : [],
      alarm === 'any' ? has('alarm_at IS NOT NULL', false) : [],
      ifGiven(filter.operator, is('operator', false)),
      ifGiven(indexed ? undefined : outcome, is('end_cause', false)),
      ifGiven(indexed, (sql) => has(sql, false)),
    ].flat(),
    others: others.map((sql) => ({ sql, values: sql.includes('?') ? [now] : [] })),
  }
}
