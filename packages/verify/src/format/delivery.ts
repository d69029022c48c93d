import type { AuditEntry } from './entry.ts'
import { present } from './present.ts'
import type { AuditRow } from './row.ts'
import {
  type AllDeliveries,
  type Audience,
  type Deliveries,
  type Delivery,
  type NoticeKind,
  STAGES,
  type Stage,
  type ToTell,
} from './to-tell.ts'

const STAGE_OF: Readonly<Partial<Record<AuditEntry['event'], Stage>>> = {
  'support.joined': 'joined',
  'support.telling': 'begun',
  'support.untold': 'failed',
  'support.told': 'told',
}

/** Time that an attempt keeps other processes from the next one, in milliseconds. */
export const ATTEMPT_MS = 60_000
/** So many failures are an alarm. */
export const FAILURES_PER_ALARM = 3
/** After so many, it is given up. */
export const MAX_FAILURES = 10
const MINUTE_MS = 60_000
/** Time that the entries of a request may take to be stored, in milliseconds. */
const LEAST_QUIET_MS = 10_000
/** Pauses after a failure, the last one after all others. */
const PAUSES_MS = [1, 5, 30, 120, 720, 1440].map((minutes) => minutes * MINUTE_MS)

/** In whatever order entries are stored, the result is the same. */
export function foldDeliveries(
  all: AllDeliveries | undefined,
  { event, timeMs: at, toTell = [], delivery }: AuditEntry,
): AllDeliveries | undefined {
  const is = STAGE_OF[event]
  const withDue = toTell.reduce<AllDeliveries | undefined>(
    (sum, one) => withOne(sum, one.to, (side) => addDue(side, one, at)),
    all,
  )
  if (!is || !delivery) return withDue
  return withOne(withDue, delivery.to, (side) => addAttempt(side, delivery, { is, at }))
}

function withOne(
  all: AllDeliveries | undefined,
  to: Audience,
  change: (side: Deliveries) => Deliveries,
): AllDeliveries {
  const { customer, deployment } = all ?? {}
  return present({ customer, deployment, [to]: change(all?.[to] ?? { due: {}, told: {} }) })
}

function addDue(side: Deliveries, { kind, after = 0 }: ToTell, time: number): Deliveries {
  const { count = 0, at = time } = side.due[kind] ?? {}
  const more = { count: count + 1, at: Math.max(at, time), after }
  return { ...side, due: { ...side.due, [kind]: more } }
}

function addAttempt(
  { due, told, last }: Deliveries,
  { kind, count, attempt, failures: failed }: Delivery,
  { is, at }: Pick<NonNullable<Deliveries['last']>, 'at' | 'is'>,
): Deliveries {
  const failures = is === 'told' ? 0 : failed
  const isSettled = is === 'told' || is === 'joined' || (is === 'failed' && failed >= MAX_FAILURES)
  const settled = { [kind]: Math.max(told[kind] ?? 0, count) }
  const stage = last && STAGES.indexOf(is) - STAGES.indexOf(last.is)
  const isLater = !last || (attempt - last.attempt || (stage ?? 0)) > 0
  return {
    due,
    told: isSettled ? { ...told, ...settled } : told,
    ...present({ last: isLater ? { attempt, failures, at, is } : last }),
  }
}

/**
 * The first kind of which there is more than was told.
 *
 * @param kinds those that come first are told first
 */
export function nextToTell<K extends string>(
  { due, told }: Deliveries,
  kinds: readonly K[],
  countOf: (kind: K) => number = (kind) => due[kind]?.count ?? 0,
): { readonly kind: K; readonly count: number } | undefined {
  const kind = kinds.find((each) => due[each] && countOf(each) > (told[each] ?? 0))
  return kind && { kind, count: countOf(kind) }
}

/** When it is to be told next: not before `at`. */
export function dueAtOf({ last }: Deliveries, at: number): number {
  return Math.max(at, pausedUntil(last))
}

function pausedUntil(last: Deliveries['last']): number {
  if (!last || last.is === 'told' || last.is === 'joined') return 0
  if (last.is === 'begun') return last.at + ATTEMPT_MS
  return last.at + (PAUSES_MS[last.failures - 1] ?? PAUSES_MS.at(-1) ?? 0)
}

/** The attempt after the last one. */
export function nextDelivery(
  side: Deliveries | undefined,
  about: Pick<Delivery, 'count' | 'kind' | 'to'>,
): Delivery {
  const { attempt = 0, failures = 0 } = side?.last ?? {}
  return { ...about, attempt: attempt + 1, failures }
}

/** When the customer is to be told something of an impersonation; `undefined` where there is nothing to tell. */
export function noticeDueAt(row: AuditRow): number | undefined {
  const [first] = noticesDueIn(row)
  return first && row.deliveries?.customer && dueAtOf(row.deliveries.customer, first.at)
}

/** Returns the kind of notice that is due to the customer by now. */
export function noticeKindDue(row: AuditRow, now: number): 'ended' | 'started' | undefined {
  return noticesDueIn(row).findLast(({ at }) => at <= now)?.kind
}

/** Until when another start for the same ticket goes on with this one. Then it is told that it is over. */
export function quietAt(row: AuditRow): number {
  const { started, ended } = row.deliveries?.customer?.due ?? {}
  const { after = 0 } = ended ?? started ?? {}
  return overAt(row) + Math.max(after * 1000, LEAST_QUIET_MS)
}

export const overAt = ({ end, expiresAt }: AuditRow) =>
  end?.at ?? expiresAt ?? Number.POSITIVE_INFINITY

/** The start first. That it is over tells that it started, too: both are one where it is over that soon. */
function noticesDueIn(row: AuditRow): readonly { kind: 'ended' | 'started'; at: number }[] {
  const { startedAt, deliveries } = row
  const { due = {}, told = {} } = deliveries?.customer ?? {}
  if (startedAt === undefined) return []
  const isPending = (kind: NoticeKind) => due[kind] !== undefined && told[kind] === undefined
  const startDueAt = startedAt + (due.started?.after ?? 0) * 1000
  const isOne = due.ended !== undefined && (told.ended !== undefined || overAt(row) <= startDueAt)
  return [
    ...(isPending('started') && !isOne ? [{ kind: 'started' as const, at: startDueAt }] : []),
    ...(isPending('ended') ? [{ kind: 'ended' as const, at: quietAt(row) }] : []),
  ]
}
