import {
  ATTEMPT_MS,
  type AuditRow,
  type NoticeKind,
  noticeKindsDue,
  noticePausedUntil,
  pendingKindsIn,
  quietAt,
} from 'oidc-provider-impersonation-verify/format'

/** What goes on for longer is told in between. */
const MAX_TOGETHER_MS = 86_400_000

/** How what is due of an impersonation is told. */
export type Telling =
  | {
      readonly is: 'told'
      readonly kinds: readonly NoticeKind[]
      /** Those of which it tells as well. */
      readonly with: readonly AuditRow[]
    }
  | {
      /** A start was told with one before it. An end is told with one after it. */
      readonly is: 'joined'
      readonly kinds: readonly NoticeKind[]
      /** Of an end: when it is due again, unless it is told by then. In milliseconds since the epoch. */
      readonly until?: number | undefined
    }

/**
 * A customer is told of a ticket, and not of each start for it: an operator who loads a page again, continues,
 * or goes on from looking to changing starts anew each time. What is told once tells of all of them. A start
 * that may do more than what the customer was told is told by itself.
 *
 * @param others of the same operator and customer for the same ticket
 * @param now in milliseconds since the epoch
 * @returns `undefined` where nothing is due
 */
export function chooseTelling(
  row: AuditRow,
  others: readonly AuditRow[],
  now: number,
): Telling | undefined {
  const kinds = noticeKindsDue(row, now)
  if (kinds.length === 0) return undefined
  if (!kinds.includes('ended')) {
    if (others.some((other) => tellsStartOf(other, row))) return { is: 'joined', kinds }
    return { is: 'told', kinds, with: [] }
  }
  const before = others.filter((other) => isBefore(other, row) && isEndToTell(other, now))
  const firstAt = Math.min(...[row, ...before].map(startOf))
  const next = others.find((other) => goesOnWith(row, other))
  if (!next || now - firstAt > MAX_TOGETHER_MS) return { is: 'told', kinds, with: before }
  const startDueAt = firstAt + (row.notice?.digest ?? 0) * 1000
  const isStartToTell = kinds.includes('started')
  if (isStartToTell && startDueAt <= now) {
    return { is: 'told', kinds: ['started'], with: [...before, next] }
  }
  const endAt = Math.max(now, quietAt(next), noticePausedUntil(next.notice?.last)) + ATTEMPT_MS
  return { is: 'joined', kinds, until: isStartToTell ? Math.min(endAt, startDueAt) : endAt }
}

const startOf = ({ startedAt, at }: AuditRow) => startedAt ?? at

function isBefore(one: AuditRow, other: AuditRow): boolean {
  return (startOf(one) - startOf(other) || (one.id < other.id ? -1 : 1)) < 0
}

/** Whether it is over, and nobody tells that now. */
function isEndToTell(row: AuditRow, now: number): boolean {
  const last = row.notice?.last
  const isUnderWay = last?.is === 'begun' && noticePausedUntil(last) > now
  const overAt = row.end?.at ?? row.expiresAt ?? Number.POSITIVE_INFINITY
  return pendingKindsIn(row.notice).includes('ended') && overAt <= now && !isUnderWay
}

/** Whether what began before goes on with this one, whose end will be told. */
function goesOnWith(row: AuditRow, next: AuditRow): boolean {
  return (
    isBefore(row, next) &&
    next.startedAt !== undefined &&
    next.startedAt <= quietAt(row) &&
    pendingKindsIn(next.notice).includes('ended')
  )
}

/** Whether the customer was told a start that goes on with this one, and may do no less. */
function tellsStartOf(before: AuditRow, row: AuditRow): boolean {
  const { when = [], settled = [] } = before.notice ?? {}
  const isOpen = !when.includes('ended') || !settled.includes('ended')
  return (
    isBefore(before, row) &&
    settled.includes('started') &&
    isOpen &&
    startOf(row) <= quietAt(before) &&
    mayDoNoLess(before, row)
  )
}

function mayDoNoLess(told: AuditRow, row: AuditRow): boolean {
  const scopes = told.scope?.split(' ') ?? []
  return (
    told.application === row.application &&
    (row.scope?.split(' ') ?? []).every((scope) => scopes.includes(scope)) &&
    (row.review === undefined || told.review !== undefined)
  )
}
