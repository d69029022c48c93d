import {
  type AuditRow,
  isAlarmOpen,
  noticeDueAt,
  openAlarmOf,
  outcomeOf,
} from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../../../src/audit/store.ts'
import { searchable, searchTextOf, wordsOf } from '../../../../src/audit/stores/filter.ts'

/** Positive where `a` is newer than `b`. */
export function comparePositions(
  a: Pick<AuditRow, 'at' | 'id'>,
  b: Pick<AuditRow, 'at' | 'id'>,
): number {
  if (a.at !== b.at) return a.at - b.at
  return a.id === b.id ? 0 : a.id > b.id ? 1 : -1
}

/**
 * What every store means by a filter. A database asks for the same in its own language.
 *
 * @param now in milliseconds since the epoch
 */
export function matcher(filter: RowFilter, now: number): (row: AuditRow) => boolean {
  const { from, to, operator, customer, outcome, alarm, held, noticeDueBefore } = filter
  const ticket = filter.ticket === undefined ? undefined : searchable(filter.ticket)
  const words = filter.text === undefined ? undefined : wordsOf(filter.text)
  return (row) =>
    (from === undefined || row.at >= from) &&
    (to === undefined || row.at < to) &&
    (operator === undefined || row.operator?.id === operator) &&
    (customer === undefined || row.customer?.id === customer) &&
    (ticket === undefined || (row.ticket !== undefined && searchable(row.ticket) === ticket)) &&
    (outcome === undefined || outcomeOf(row, now) === outcome) &&
    (alarm !== 'any' || row.alarm !== undefined) &&
    (alarm !== 'open' || isAlarmOpen(row)) &&
    (alarm !== 'urgent' || openAlarmOf(row) === 'urgent') &&
    (held === undefined || row.hold?.isHeld === true) &&
    (noticeDueBefore === undefined ||
      (noticeDueAt(row) ?? Number.POSITIVE_INFINITY) < noticeDueBefore) &&
    (words === undefined ||
      (words.length > 0 && words.every((word) => searchTextOf(row).includes(` ${word}`))))
}
