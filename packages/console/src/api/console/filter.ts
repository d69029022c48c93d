import { ALL_OUTCOMES } from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../audit/store.ts'
import { Problem } from '../../http/problem.ts'
import { numberIn, type Query, textIn, wordIn } from '../../http/query.ts'
import type { Caller } from '../parts.ts'

/** The parameters of a filter. */
export const FILTER_PARAMETERS = [
  'from',
  'to',
  'operator',
  'customer',
  'ticket',
  'outcome',
  'text',
  'alarm',
  'held',
] as const

/** The greatest time of a `Date`, in milliseconds since the epoch. */
export const MAX_TIME_MS = 8_640_000_000_000_000

/**
 * The filter of a request, narrowed to what the caller may see: an operator sees the rows that they
 * ran, and with `customer` those of this customer.
 *
 * @returns `undefined` where nothing can match
 * @throws Problem 400 for a parameter that is wrong, 403 for one that is not for operators
 */
export function visibleFilter(query: Query, caller: Caller): RowFilter | undefined {
  const filter = filterOf(query)
  if (caller.role !== 'operator') return filter
  if (filter.alarm !== undefined || filter.held !== undefined) {
    throw new Problem(403, 'access_denied', 'alarm and held are for leads and auditors')
  }
  if (filter.customer !== undefined) return filter
  const isOwn = filter.operator === undefined || filter.operator === caller.id
  return isOwn ? { ...filter, operator: caller.id } : undefined
}

function filterOf(query: Query): RowFilter {
  return {
    from: numberIn(query, 'from', 0, MAX_TIME_MS),
    to: numberIn(query, 'to', 0, MAX_TIME_MS),
    operator: textIn(query, 'operator', 255),
    customer: textIn(query, 'customer', 255),
    ticket: textIn(query, 'ticket', 100),
    outcome: wordIn(query, 'outcome', ALL_OUTCOMES),
    text: textIn(query, 'text', 100),
    alarm: wordIn(query, 'alarm', ['any', 'open', 'urgent']),
    held: wordIn(query, 'held', ['true']) && true,
  }
}
