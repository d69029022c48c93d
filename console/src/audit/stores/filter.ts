import { type AuditRow, isAlarmOpen, outcomeOf } from '../row.ts'
import type { RowFilter } from '../store.ts'

/**
 * A text as it is compared in a search: without regard to case, and as a database of any kind can hold
 * it, without control characters.
 */
export function searchable(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/\p{Cc}/gu, ' ')
}

/**
 * All texts of a row that a search finds: one line each, {@link searchable}. A row matches a text where
 * this contains `searchable(text)`.
 */
export function searchTextOf({ id, customer, operator, jti, ticket, reason }: AuditRow): string {
  return [
    ...[customer, operator].flatMap((person) => [person?.id, person?.name, person?.email]),
    id,
    jti,
    ticket,
    reason,
  ]
    .filter((text) => text !== undefined)
    .map(searchable)
    .join('\n')
}

/** Of rows that were searched: to make the text costs more than to search it. A row never changes. */
const searchTexts = new WeakMap<AuditRow, string>()

function keptSearchTextOf(row: AuditRow): string {
  const text = searchTexts.get(row) ?? searchTextOf(row)
  searchTexts.set(row, text)
  return text
}

/**
 * What every store means by a filter. A database may ask for the same in its own language.
 *
 * @param now in milliseconds since the epoch
 */
export function matcher(filter: RowFilter, now: number): (row: AuditRow) => boolean {
  const { from, to, operator, customer, outcome, alarm, held } = filter
  const ticket = filter.ticket === undefined ? undefined : searchable(filter.ticket)
  const text = filter.text === undefined ? undefined : searchable(filter.text)
  return (row) =>
    (from === undefined || row.at >= from) &&
    (to === undefined || row.at < to) &&
    (operator === undefined || row.operator?.id === operator) &&
    (customer === undefined || row.customer?.id === customer) &&
    (ticket === undefined || (row.ticket !== undefined && searchable(row.ticket) === ticket)) &&
    (outcome === undefined || outcomeOf(row, now) === outcome) &&
    (alarm === undefined || (alarm === 'any' ? row.alarm !== undefined : isAlarmOpen(row))) &&
    (held === undefined || row.hold?.isHeld === true) &&
    (text === undefined || keptSearchTextOf(row).includes(text))
}
