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

/** Something that a reader asks a store for. */
export interface Question {
  readonly name: string
  /** Answers how many rows or entries there were. */
  ask(store: AuditStore): Promise<number>
}

/** Rows of a page, as the console asks for them without a limit. */
const PAGE = 50
const DAY = 86_400_000
/** After the year: all has expired. */
const NOW = YEAR_ENDS + DAY

/** Single pages: each is to take less than the promised time. */
export function pageQuestions(impersonations: number): Question[] {
  // One that started: every fortieth is refused.
  const middle = (impersonations >> 1) + 1
  const date = YEAR_BEGINS + 183 * DAY
  const filters: Record<string, RowFilter> = {
    'a date in the middle': { from: date, to: date + DAY },
    'up to a date in the middle': { to: date },
    operator: { operator: operatorId(3) },
    customer: { customer: customerId(middle) },
    'customer of an operator': { customer: customerId(middle), operator: operatorId(middle) },
    ticket: { ticket: ticketOf(middle).toLowerCase() },
    ...Object.fromEntries(ALL_OUTCOMES.map((outcome) => [`outcome ${outcome}`, { outcome }])),
    'any alarm': { alarm: 'any' },
    'open alarms': { alarm: 'open' },
    'on hold': { held: true },
  }
  const searches: Record<string, RowFilter> = Object.fromEntries(
    Object.entries({
      'in all': 'did not arrive',
      'in one': `alice.${middle}@`,
      'an id': idOf(middle),
      'a ticket': ticketOf(middle),
      'operator and customer': `${operatorName(middle)} ${customerId(middle)}`,
      'two names': `${operatorName(middle)} alice`,
      'an operator': operatorName(middle),
      'one letter': 'o',
      'in none': 'no such text',
    }).map(([name, text]) => [`search: ${name}`, { text }]),
  )
  // What takes the longest: all rows are read.
  searches['frequent words, never together'] = { text: 'olivia oscar' }
  const month = { from: date, to: date + 30 * DAY }
  searches['search: an operator, for a month'] = { text: operatorName(middle), ...month }
  return [
    { name: 'first page', ask: (store) => page(store, {}) },
    { name: 'second page', ask: secondPage },
    { name: 'page in the middle', ask: (store) => page(store, {}, `${date}.${idOf(middle)}`) },
    { name: 'last page', ask: (store) => page(store, {}, `${YEAR_BEGINS + DAY}.${idOf(0)}`) },
    ...[...Object.entries(filters), ...Object.entries(searches)].map(([name, filter]) => ({
      name,
      ask: (store: AuditStore) => page(store, filter),
    })),
    {
      name: 'row and timeline',
      async ask(store) {
        const [row, entries] = await Promise.all([
          store.row(idOf(middle)),
          store.timeline(idOf(middle), { limit: 200 }),
        ])
        return (row ? 1 : 0) + entries.length
      },
    },
    { name: 'newer rows: none', ask: (store) => newer(store, {}, YEAR_ENDS) },
    { name: 'newer rows: many', ask: (store) => newer(store, {}, date) },
    { name: 'newer rows: in none', ask: (store) => newer(store, { text: 'no such' }, date) },
  ]
}

/** Everything, page by page. */
export const EXPORTS: readonly Question[] = [
  {
    name: 'all rows, 200 a page',
    async ask(store) {
      let [before, count]: [string | undefined, number] = [undefined, 0]
      do {
        const found = await store.find({}, { before, limit: 200, now: NOW })
        before = found.next
        count += found.rows.length
      } while (before !== undefined)
      return count
    },
  },
  {
    name: 'all entries, 1000 a page',
    async ask(store) {
      let [after, count]: [string | undefined, number] = [undefined, 0]
      for (;;) {
        const found = await store.entries({ after, limit: 1000 })
        after = found.at(-1)?.cursor
        if (after === undefined) return count
        count += found.length
      }
    },
  },
]

async function page(store: AuditStore, filter: RowFilter, before?: string): Promise<number> {
  return (await store.find(filter, { before, limit: PAGE, now: NOW })).rows.length
}

async function secondPage(store: AuditStore): Promise<number> {
  const { next } = await store.find({}, { limit: PAGE, now: NOW })
  return page(store, {}, next)
}

async function newer(store: AuditStore, filter: RowFilter, at: number): Promise<number> {
  return (await store.countNewer(filter, { at, id: idOf(0) }, NOW)).count
}
