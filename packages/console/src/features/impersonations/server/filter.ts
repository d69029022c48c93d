import { ALL_OUTCOMES } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { oneOf } from '../../../kernel/input.ts'
import type { RowFilter } from '../../../ledger/filters.ts'
import { Problem } from '../../../web/http/problem.ts'
import { checked, personId, searchWords } from '../../../web/http/query.ts'
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
  held: checked,
  unapproved: checked,
}

/**
 * A filter, narrowed to what the caller may see: an operator sees the rows that they
 * ran, and with `customer` those of this customer.
 *
 * @throws Problem 403 for a parameter that is not for operators
 */
export function visibleFilter(filter: RowFilter, { id, role }: Caller): RowFilter {
  const { alarm, customer, held, operator = id } = filter
  if (role !== 'operator') return filter
  if (alarm !== undefined || held !== undefined || (customer === undefined && operator !== id)) {
    throw new Problem(
      403,
      'access_denied',
      'alarm, held and other operators are for leads and auditors',
    )
  }
  return customer === undefined ? { ...filter, operator } : filter
}
