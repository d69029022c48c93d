import { ALL_OUTCOMES } from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../src/ledger/filters.ts'
import type { AuditStore } from '../src/ledger/store.ts'
import {
  customerId,
  idOf,
  operatorId,
  operatorName,
  ticketOf,
  YEAR_BEGINS,
  YEAR_ENDS,
} from './year.ts'

/** Asks a store, and returns the number of rows or entries. */
export type Question = (store: AuditStore) => Promise<number>

/** Rows of a page, as the console asks for them without a limit. */
const PAGE = 50
const DAY = 86_400_000
/** After the year: all has expired. */
const NOW = YEAR_ENDS + DAY

/** Lists the pages that readers ask for, by their names. */
export function questionsFor(impersonations: number): Record<string, Question> {
  const page =
    (filter: RowFilter, before?: string): Question =>
    async (store) =>
      (await store.find(filter, { before, limit: PAGE, now: NOW })).rows.length
  const newer =
    (filter: RowFilter, at: number): Question =>
    async (store) =>
      (await store.countNewer(filter, { at, id: idOf(0) }, NOW)).count
  // One that started: every fortieth is refused.
  const middle = (impersonations >> 1) + 1
  const date = YEAR_BEGINS + 183 * DAY
  const searches = {
    'in all': 'did not arrive',
    'in one': `alice.${middle}@`,
    'an id': idOf(middle),
    'a ticket': ticketOf(middle),
    'operator and customer': `${operatorName(middle)} ${customerId(middle)}`,
    'two names': `${operatorName(middle)} alice`,
    'an operator': operatorName(middle),
    'one letter': 'o',
    'in none': 'no such text',
  }
  return {
    'first page': page({}),
    'page in the middle': page({}, `${date}.${idOf(middle)}`),
    'last page': page({}, `${YEAR_BEGINS + DAY}.${idOf(0)}`),
    'a date in the middle': page({ from: date, to: date + DAY }),
    'up to a date in the middle': page({ to: date }),
    operator: page({ operator: operatorId(3) }),
    customer: page({ customer: customerId(middle) }),
    'customer of an operator': page({
      customer: customerId(middle),
      operator: operatorId(middle),
    }),
    ticket: page({ ticket: ticketOf(middle).toLowerCase() }),
    ...Object.fromEntries(ALL_OUTCOMES.map((outcome) => [`outcome ${outcome}`, page({ outcome })])),
    'any alarm': page({ alarm: 'any' }),
    'open alarms': page({ alarm: 'open' }),
    'on hold': page({ held: true }),
    ...Object.fromEntries(
      Object.entries(searches).map(([name, text]) => [`search: ${name}`, page({ text })]),
    ),
    'search: an operator, for a month': page({
      text: operatorName(middle),
      from: date,
      to: date + 30 * DAY,
    }),
    // It takes the longest, because all rows are read.
    'frequent words, never together': page({ text: 'olivia oscar' }),
    'row and timeline': async (store) => {
      const row = await store.row(idOf(middle))
      const entries = await store.timeline(idOf(middle), { limit: 200 })
      return (row ? 1 : 0) + entries.length
    },
    'newer rows: none': newer({}, YEAR_ENDS),
    'newer rows: many': newer({}, date),
    'newer rows: in none': newer({ text: 'no such' }, date),
  }
}
