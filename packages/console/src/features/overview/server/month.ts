import { MAX_COUNTED } from '../../../kernel/limits.ts'
import type { RowFilter } from '../../../ledger/filters.ts'
import { settle } from '../../../web/audit.ts'
import { zoneOf } from '../../../web/pages/reader.ts'
import type { Call } from '../../../web/parts.ts'
import { monthOf } from '../../../web/when.ts'

const BEFORE_ALL = { at: 0, id: '' }

export type MonthAnswer = Awaited<ReturnType<typeof countThisMonth>>

/** Counts the rows that the audit has of this month, by the calendar of the reader. */
export async function countThisMonth({ audit, ctx, now }: Call) {
  const range = monthOf(zoneOf(ctx), now())
  await settle(audit)
  const count = (filter: RowFilter) =>
    audit.store.countNewer({ ...range, ...filter }, BEFORE_ALL, now())
  const [impersonations, emergencies, objections] = await Promise.all([
    count({}),
    audit.store.permits({ ...range, kind: 'emergency' }, { limit: MAX_COUNTED }),
    count({ alarm: 'objection' }),
  ])
  const { permits, next } = emergencies
  const unapproved = { count: permits.length, more: next !== undefined }
  return { ...range, impersonations, unapproved, objections }
}
