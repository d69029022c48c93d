import type { AuditEntry } from './entry.ts'
import { present } from './present.ts'
import type { AuditRow } from './row.ts'
import {
  ATTEMPT_STAGES,
  type AttemptStage,
  type NoticeKind,
  type NoticeTry,
  type RowNotice,
} from './row-notice.ts'

const STAGE_OF: Readonly<Partial<Record<AuditEntry['event'], AttemptStage>>> = {
  'support.notifying': 'begun',
  'support.joined': 'joined',
  'support.unnotified': 'failed',
  'support.notified': 'told',
}

/** How long an attempt keeps other processes from the next, in milliseconds. */
export const ATTEMPT_MS = 60_000
/** So many failures are an alarm. */
export const FAILURES_PER_ALARM = 3
/** After so many, it is given up. */
export const MAX_FAILURES = 10
const MINUTE_MS = 60_000
/** How long what is told of a request may take to be stored, in milliseconds. */
const LEAST_QUIET_MS = 10_000
/** The longest time for which an end waits for another start. */
const MAX_QUIET_MS = 2 * MINUTE_MS
/** Pauses after a failure, the last one after all others. */
const PAUSES_MS = [1, 5, 30, 120, 720, 1440].map((minutes) => minutes * MINUTE_MS)

/**
 * In whatever order entries are stored, the result is the same. An entry about a notice can be stored
 * before that of the start alone where the storage was changed by hand.
 */
export function foldNotice(
  notice: RowNotice | undefined,
  entry: AuditEntry,
): RowNotice | undefined {
  const { event, notify, notice: tried, timeMs: at } = entry
  if (notify) {
    const { settled = [], last } = notice ?? {}
    return { ...{ when: notify.when, digest: notify.digest, settled }, ...(last && { last }) }
  }
  const is = STAGE_OF[event]
  if (!is || !tried) return notice
  const { kinds, attempt, failures, until } = tried
  const before = notice ?? { when: [], digest: 0, settled: [] }
  const isSettled =
    is === 'told' ||
    (is === 'failed' && failures >= MAX_FAILURES) ||
    // A start that was told before. An end stays due: nothing is lost where the other one is not told.
    (is === 'joined' && until === undefined)
  const settled = [...new Set([...before.settled, ...(isSettled ? kinds : [])])].toSorted()
  const isLater = !before.last || isLaterAttempt({ attempt, is }, before.last)
  return {
    ...{ ...before, settled },
    ...(isLater
      ? { last: { attempt, failures: is === 'told' ? 0 : failures, at, is, ...present({ until }) } }
      : {}),
  }
}

type Attempt = Pick<NonNullable<RowNotice['last']>, 'attempt' | 'is'>

/** Of two attempts, or two stages of one. */
export function isLaterAttempt(one: Attempt, other: Attempt): boolean {
  const stage = ATTEMPT_STAGES.indexOf(one.is) - ATTEMPT_STAGES.indexOf(other.is)
  return (one.attempt - other.attempt || stage) > 0
}

/** When the customer is to be told something next; `undefined` where there is nothing to tell. */
export function noticeDueAt(row: AuditRow): number | undefined {
  const at = Math.min(...pendingIn(row).map(({ dueAt }) => dueAt))
  return Number.isFinite(at) ? Math.max(at, noticePausedUntil(row.notice?.last)) : undefined
}

/** What the customer is to be told now. The end tells the start as well. */
export function noticeKindsDue(row: AuditRow, now: number): readonly NoticeKind[] {
  const pending = pendingIn(row)
  const due = pending.filter(({ dueAt }) => dueAt <= now)
  const isEnded = due.some(({ kind }) => kind === 'ended')
  return (isEnded ? pending : due).map(({ kind }) => kind)
}

/**
 * Until when another start for the same ticket belongs to this impersonation. It is told of the end then: some
 * seconds are enough for a page that is loaded again, and a customer does not wait for minutes.
 */
export function quietAt({ notice, end, expiresAt }: AuditRow): number {
  const quietMs = Math.min(Math.max((notice?.digest ?? 0) * 1000, LEAST_QUIET_MS), MAX_QUIET_MS)
  return (end?.at ?? expiresAt ?? Number.POSITIVE_INFINITY) + quietMs
}

function pendingIn(row: AuditRow) {
  const { notice, startedAt, end, expiresAt } = row
  if (!notice || startedAt === undefined) return []
  const pending = pendingKindsIn(notice)
  const digestMs = notice.digest * 1000
  const overAt = end?.at ?? expiresAt ?? Number.POSITIVE_INFINITY
  const isOne = pending.includes('ended') && overAt <= startedAt + digestMs
  const endDueAt = quietAt(row)
  const startDueAt = isOne ? endDueAt : startedAt + digestMs
  return pending.map((kind) => ({ kind, dueAt: kind === 'ended' ? endDueAt : startDueAt }))
}

/** What is not settled. */
export function pendingKindsIn(notice: RowNotice | undefined): readonly NoticeKind[] {
  return notice?.when.filter((kind) => !notice.settled.includes(kind)) ?? []
}

export function noticePausedUntil(last: RowNotice['last']): number {
  if (!last || last.is === 'told') return 0
  if (last.is === 'begun') return last.at + ATTEMPT_MS
  if (last.is === 'joined') return last.until ?? 0
  return last.at + (PAUSES_MS[last.failures - 1] ?? PAUSES_MS.at(-1) ?? 0)
}

/** Whether an attempt is the next. */
export function isNextAttempt(
  told: Pick<RowNotice, 'last'> | undefined,
  { attempt }: Pick<NoticeTry, 'attempt'>,
): boolean {
  return told !== undefined && (told.last?.attempt ?? 0) === attempt - 1
}
