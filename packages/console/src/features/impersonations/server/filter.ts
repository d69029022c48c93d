import { ALL_OUTCOMES } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { oneOf } from '../../../kernel/input.ts'
import type { RowFilter } from '../../../ledger/filters.ts'
import { Problem } from '../../../web/http/problem.ts'
import { mark, personId, searchWords } from '../../../web/http/query.ts'
import type { Caller } from '../../../web/parts.ts'
import { WHEN } from '../../../web/when.ts'

/** The parameters of a filter. */
export const FILTER = {
  ...WHEN,
  operator: personId,
  customer: personId,
  ticket: searchWords,
  outcome: v.optional(oneOf(ALL_OUTCOMES)),
  text: searchWords,
  alarm: v.optional(oneOf(['any', 'objection', 'open'])),
  held: mark,
  unapproved: mark,
}

/**
 * A filter, narrowed to what the caller may see: an operator sees the rows that they
 * ran, and with `customer` those of this customer.
 *
 * @returns `undefined` where nothing can match
 * @throws Problem 403 for a parameter that is not for operators
 */
export function visibleFilter(filter: RowFilter, caller: Caller): RowFilter | undefined {
  if (caller.role !== 'operator') return filter
  if (filter.alarm !== undefined || filter.held !== undefined) {
    throw new Problem(403, 'access_denied', 'alarm and held are for leads and auditors')
  }
  if (filter.customer !== undefined) return filter
  const isOwn = filter.operator === undefined || filter.operator === caller.id
  return isOwn ? { ...filter, operator: caller.id } : undefined
}
