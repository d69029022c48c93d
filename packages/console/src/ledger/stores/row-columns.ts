import { indexable } from 'oidc-provider-impersonation-verify/chain'
import { type Outcome, ticketKey } from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../filters.ts'

/** Whether a text can be the id of a row. PostgreSQL refuses to compare with some that cannot. */
export function isRowId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id)
}

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

/** What a filter compares, beside times and words. */
export interface Comparisons {
  /** The first one is expected to have the fewest rows. */
  readonly indexed: readonly IndexedCondition[]
  /** What has to be looked at in each row. */
  readonly others: readonly Condition[]
}

/** @param now for outcomes, in milliseconds since the epoch */
export function comparisonsOf(filter: RowFilter, now: number): Comparisons {
  const {
    operator,
    customer,
    ticket,
    outcome,
    alarm,
    held,
    noticeDueBefore,
    alertDueBefore,
    unapproved,
  } = filter
  const has = (sql: string, isRare: boolean): IndexedCondition => ({ sql, values: [], isRare })
  const is = (
    column: NonNullable<IndexedCondition['column']>,
    value: string,
    isRare: boolean,
  ): IndexedCondition => ({ sql: `${column} = ?`, values: [value], column, isRare })
  const { indexed, others = [] } = outcome ? comparisonsOfOutcome(outcome, now) : {}
  return {
    indexed: [
      noticeDueBefore === undefined
        ? []
        : {
            ...has('notice_due_at IS NOT NULL AND notice_due_at < ?', true),
            values: [noticeDueBefore],
          },
      alertDueBefore === undefined
        ? []
        : {
            ...has('alert_due_at IS NOT NULL AND alert_due_at < ?', true),
            values: [alertDueBefore],
          },
      ticket === undefined ? [] : is('ticket', indexable(ticketKey(ticket)), true),
      customer === undefined ? [] : is('customer', indexable(customer), true),
      alarm === 'objection' ? has('objected_at IS NOT NULL', true) : [],
      held ? has('held_at IS NOT NULL', true) : [],
      unapproved ? has('unapproved', true) : [],
      alarm === 'open' ? has('open_alarm_at IS NOT NULL', true) : [],
      alarm === 'any' ? has('alarm_at IS NOT NULL', false) : [],
      operator === undefined ? [] : is('operator', indexable(operator), false),
      indexed === 'end_cause' && outcome ? is(indexed, outcome, false) : [],
      indexed && indexed !== 'end_cause' ? has(indexed, false) : [],
    ].flat(),
    others,
  }
}

/** In the same way as `outcomeOf`. */
function comparisonsOfOutcome(
  outcome: Outcome,
  now: number,
): { indexed: string; others?: readonly Condition[] } {
  const started = 'end_cause IS NULL AND started_at IS NOT NULL'
  const notStarted = 'end_cause IS NULL AND started_at IS NULL'
  const wasAsked = { sql: 'asked_at IS NOT NULL', values: [] }
  const isOver = { sql: '(expires_at IS NULL OR expires_at <= ?)', values: [now] }
  const isNotOver = { sql: 'expires_at > ?', values: [now] }
  switch (outcome) {
    case 'running':
      return { indexed: started, others: [isNotOver] }
    case 'expired':
      return { indexed: started, others: [isOver] }
    case 'waiting':
      return { indexed: notStarted, others: [wasAsked, isNotOver] }
    case 'unused':
      return { indexed: notStarted, others: [wasAsked, isOver] }
    case 'refused':
      return { indexed: notStarted, others: [{ sql: 'asked_at IS NULL', values: [] }] }
    default:
      return { indexed: 'end_cause' }
  }
}
