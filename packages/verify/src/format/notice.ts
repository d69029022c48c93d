import type { AuditEntry } from './entry.ts'
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
  'support.unnotified': 'failed',
  'support.notified': 'told',
}

/** How long an attempt keeps other processes from the next, in milliseconds. */
export const ATTEMPT_MS = 60_000
/** So many failures are an alarm. */
export const FAILURES_PER_ALARM = 3
/** After so many, it is given up. */
export const MAX_FAILURES = 10
/** How long what is told of a request may take to be stored, in milliseconds. */
const SETTLING_MS = 10_000
const MINUTE_MS = 60_000
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
  const { event, notify, notice: tried, time: at } = entry
  if (notify) {
    const { settled = [], last } = notice ?? {}
    return { ...{ when: notify.when, digest: notify.digest, settled }, ...(last && { last }) }
  }
  const is = STAGE_OF[event]
  if (!is || !tried) return notice
  const { kinds, attempt, failures } = tried
  const before = notice ?? { when: [], digest: 0, settled: [] }
  const isSettled = is === 'told' || (is === 'failed' && failures >= MAX_FAILURES)
  const settled = [...new Set([...before.settled, ...(isSettled ? kinds : [])])].toSorted()
  const isLater = !before.last || isAfter({ attempt, is }, before.last)
  return {
    ...{ ...before, settled },
    ...(isLater ? { last: { attempt, failures: is === 'told' ? 0 : failures, at, is } } : {}),
  }
}

type Attempt = Pick<NonNullable<RowNotice['last']>, 'attempt' | 'is'>

function isAfter(one: Attempt, other: Attempt): boolean {
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

function pendingIn({ notice, startedAt, end, expiresAt }: AuditRow) {
  if (!notice || startedAt === undefined) return []
  const pending = pendingKindsIn(notice)
  const digestMs = notice.digest * 1000
  const overAt = end?.at ?? expiresAt ?? Number.POSITIVE_INFINITY
  const isOne = pending.includes('ended') && overAt <= startedAt + digestMs
  const endDueAt = overAt + SETTLING_MS
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
  return last.at + (PAUSES_MS[last.failures - 1] ?? PAUSES_MS.at(-1) ?? 0)
}

/** Whether an attempt is the next. */
export function isNextAttempt(
  { notice }: { readonly notice?: RowNotice | undefined },
  { attempt }: NoticeTry,
): boolean {
  return notice !== undefined && (notice.last?.attempt ?? 0) === attempt - 1
}
