import { ALL_OUTCOMES, type Outcome } from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../../../ledger/filters.ts'
import { dateOf, rangeOfDate } from '../../../../web/kit/dates.ts'
import type { Session } from '../../../../web/session/session.ts'

// The filter is in the address. Moments stand there in UTC, so a link shows the same rows to a reader
// in another time zone. A date that a person types there is a day of their own zone.

const TEXT_MEMBERS = ['text', 'operator', 'customer', 'ticket'] as const
/** Conditions that hold or are not asked for. */
const FLAG_MEMBERS = ['unapproved', 'held'] as const
export type TextMember = (typeof TEXT_MEMBERS)[number]

/** What the parts of the filter are given. */
export interface FilterProps {
  session: Session
  filter: RowFilter
  now: number
  /** Names of people in the list, by id. */
  people: { operators: ReadonlyMap<string, string>; customers: ReadonlyMap<string, string> }
  /** Operators see what they did: they have no filter by operator, alarm or hold. */
  isOwn: boolean
  onChange: (filter: RowFilter, how?: { instead: boolean }) => void
}

/** The conditions of an address that mean nothing: without them, the list would have other rows. */
export function unknownConditionsOf(query: URLSearchParams): string[] {
  const known = filterOf(query)
  return [...new Set(query.keys())].filter((name) => {
    const [value, ...more] = query.getAll(name)
    return value !== '' && (more.length > 0 || Reflect.get(known, name) === undefined)
  })
}

/** The filter of an address. What is no valid value is left away: see {@link unknownConditionsOf}. */
export function filterOf(query: URLSearchParams): RowFilter {
  const filter: { -readonly [K in keyof RowFilter]: RowFilter[K] } = {}
  for (const name of TEXT_MEMBERS) {
    const value = query.get(name)?.trim()
    if (value) filter[name] = value
  }
  const from = momentOf(query.get('from'), 'from')
  const to = momentOf(query.get('to'), 'to')
  if (from !== undefined) filter.from = from
  if (to !== undefined) filter.to = to
  const outcome = query.get('outcome')
  if (outcome !== null && isOutcome(outcome)) filter.outcome = outcome
  const alarm = alarmIn(query.get('alarm'))
  if (alarm) filter.alarm = alarm
  for (const name of FLAG_MEMBERS) if (query.get(name) === 'true') filter[name] = true
  return filter
}

const ALARM_CONDITIONS: readonly RowFilter['alarm'][] = ['any', 'objection', 'open']

/** The condition of this name; `undefined` for what is none. */
export function alarmIn(value: string | null): RowFilter['alarm'] {
  return ALARM_CONDITIONS.find((alarm) => alarm === value)
}

/** Without what is for leads and auditors: the server refuses it to operators. */
export function ownPartOf({
  operator: _,
  alarm: _alarm,
  held: _held,
  ...own
}: RowFilter): RowFilter {
  return own
}

/** The part of the address that holds the filter: `?text=alice`, or nothing. */
export function addressOf(filter: RowFilter): string {
  const query = membersOf(filter, (time) =>
    new Date(time).toISOString().replace(/(?::00)?\.000Z$/, 'Z'),
  )
  return query.size === 0 ? '' : `?${query}`
}

/** The parameters of `GET /audit`. */
export function parametersOf(filter: RowFilter): URLSearchParams {
  return membersOf(filter, String)
}

export function isOutcome(value: string): value is Outcome {
  return ALL_OUTCOMES.some((outcome) => outcome === value)
}

function membersOf(filter: RowFilter, time: (at: number) => string): URLSearchParams {
  const query = new URLSearchParams()
  for (const name of ['text', 'from', 'to', 'operator', 'customer', 'ticket'] as const) {
    const value = filter[name]
    if (value !== undefined) query.set(name, typeof value === 'number' ? time(value) : value)
  }
  if (filter.outcome) query.set('outcome', filter.outcome)
  if (filter.alarm) query.set('alarm', filter.alarm)
  for (const name of FLAG_MEMBERS) if (filter[name]) query.set(name, 'true')
  return query
}

const MOMENT_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/

/** A moment, or the beginning or end of a day. */
function momentOf(value: string | null, end: 'from' | 'to'): number | undefined {
  const day = value === null ? undefined : rangeOfDate(value)
  if (day && dateOf(day.from) === value) return day[end]
  // Engines parse more than ISO 8601, each in its own way.
  const time = value !== null && MOMENT_PATTERN.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) || time < 0 ? undefined : time
}
