import type { AuditEntry } from './entry.ts'
import { isLaterAttempt, MAX_FAILURES, noticePausedUntil } from './notice.ts'
import { present } from './present.ts'
import type { Alert } from './row-alert.ts'
import type { AttemptStage } from './row-notice.ts'

const STAGE_OF: Readonly<Partial<Record<AuditEntry['event'], AttemptStage>>> = {
  'support.alerting': 'begun',
  'support.unalerted': 'failed',
  'support.alerted': 'told',
}

/**
 * In whatever order entries are stored, the result is the same.
 *
 * @param kind what an entry with `isAlert` tells
 */
export function foldAlert(
  alert: Alert | undefined,
  entry: AuditEntry,
  kind: string | undefined,
): Alert | undefined {
  const { due = {}, told = {}, last } = alert ?? {}
  const { event, timeMs: at, alert: tried } = entry
  if (entry.isAlert && kind !== undefined) {
    const { count = 0, at: before = at } = due[kind] ?? {}
    const more = { count: count + 1, at: Math.max(before, at) }
    return { due: sortedByKind({ ...due, [kind]: more }), told, ...present({ last }) }
  }
  const is = STAGE_OF[event]
  if (!is || !tried) return alert
  const { count, attempt } = tried
  const failures = is === 'told' ? 0 : tried.failures
  const isSettled = is === 'told' || failures >= MAX_FAILURES
  const settled = { [tried.kind]: Math.max(told[tried.kind] ?? 0, count) }
  const isLater = !last || isLaterAttempt({ attempt, is }, last)
  return {
    due,
    told: isSettled ? sortedByKind({ ...told, ...settled }) : told,
    ...present({ last: isLater ? { attempt, failures, at, is } : last }),
  }
}

/** When something is to be told next; `undefined` where there is nothing to tell. */
export function alertDueAt(alert: Alert, kind: string | undefined): number | undefined {
  if (kind === undefined) return undefined
  return Math.max(alert.due[kind]?.at ?? 0, noticePausedUntil(alert.last))
}

/**
 * The first kind of which there is more than was told.
 *
 * @param kinds those that come first are told first
 */
export function pendingAlertOf<K extends string>(
  { due, told }: Alert,
  kinds: readonly K[],
  countOf: (kind: K) => number = (kind) => due[kind]?.count ?? 0,
): { readonly kind: K; readonly count: number } | undefined {
  const kind = kinds.find((each) => due[each] && countOf(each) > (told[each] ?? 0))
  return kind && { kind, count: countOf(kind) }
}

function sortedByKind<T>(byKind: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(byKind).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}
