import { alertDueAt, pendingAlertOf } from './alert.ts'
import { type AuditEntry, MISLABELLED_EVENT, USED_EVENT } from './entry.ts'
import { FAILURES_PER_ALARM } from './notice.ts'
import { present } from './present.ts'
import { ALARM_KINDS, type AlarmKind, type AlarmRank, type AuditRow, type RowAlarm } from './row.ts'
import { unapprovedIn } from './unapproved.ts'

/** So many refusals in one impersonation are urgent together. */
const REFUSALS_PER_URGENCY = 10
/** So many different acts that are closed to impersonations are urgent together. */
const DENIED_ACTS_PER_URGENCY = 3
/** What is kept of the beginning and of the end of each of them, in characters. */
const MAX_ACT_PART_LENGTH = 128

/** Each of these is urgent by itself. */
const URGENT_KINDS: ReadonlySet<AlarmKind> = new Set<AlarmKind>([
  'after_refusal',
  'not_notified',
  'objection',
  'proof_reused',
  'protected',
  'replayed',
  'tampered',
])

/** What the alarm of an entry is about, if it is one. */
export function alarmKindOf({
  event,
  use,
  end,
  protects,
  notice,
  review,
}: AuditEntry): AlarmKind | undefined {
  if (event === 'impersonation.replayed') return 'replayed'
  if (event === 'support.refused' && protects) return 'protected'
  // A tab that is still open asks once more after the end: that is refused, and no act.
  if (event === USED_EVENT && use?.refused && use.refused.by !== 'status') {
    return use.refused.by === 'replay' ? 'proof_reused' : 'refused'
  }
  if (event === 'impersonation.ended' && end?.cause === 'user') return 'ended_by_customer'
  if (event === 'impersonation.started' && unapprovedIn(review) === 'after_refusal') {
    return 'after_refusal'
  }
  if (event === 'support.objected') return 'objection'
  if (event === MISLABELLED_EVENT) return 'tampered'
  if (event === 'support.unnotified' && notice?.failures === FAILURES_PER_ALARM) {
    return 'not_notified'
  }
  return undefined
}

/** Whether an entry is an alarm that has to be looked at now, whatever else happened. */
export function isUrgentByItself(entry: AuditEntry): boolean {
  const kind = alarmKindOf(entry)
  return kind !== undefined && URGENT_KINDS.has(kind)
}

/** An alarm of which the deployment is to be told. */
export interface PendingAlarm {
  readonly kind: AlarmKind
  readonly rank: AlarmRank
  /** How often that kind is to be told of by now: 1 or more. */
  readonly count: number
}

/** What is urgent comes first. */
const ALARM_KINDS_IN_ORDER = ALARM_KINDS.toSorted(
  (one, other) => Number(URGENT_KINDS.has(other)) - Number(URGENT_KINDS.has(one)),
)

/** The next alarm to tell. Refused acts are told once, and again each time that they become urgent together. */
export function pendingAlarmOf({ alert, alarm }: AuditRow): PendingAlarm | undefined {
  if (!alert || !alarm) return undefined
  const found = pendingAlertOf(alert, ALARM_KINDS_IN_ORDER, (kind) =>
    kind === 'refused' ? 1 + urgencyOfRefusals(alarm) : (alert.due[kind]?.count ?? 0),
  )
  if (!found) return undefined
  const isUrgent = URGENT_KINDS.has(found.kind) || (found.kind === 'refused' && found.count > 1)
  return { ...found, rank: isUrgent ? 'urgent' : 'notable' }
}

/** When the deployment is to be told of an alarm. */
export function alarmDueAt(row: AuditRow): number | undefined {
  return row.alert && alertDueAt(row.alert, pendingAlarmOf(row)?.kind)
}

/**
 * @param count how often it happened: 1 or more
 * @param lastTime of the last one, in milliseconds since the epoch
 */
export function foldAlarm(
  alarm: RowAlarm | undefined,
  entry: AuditEntry,
  count: number,
  lastTime: number,
): RowAlarm | undefined {
  const kind = alarmKindOf(entry)
  if (kind === undefined) return alarm
  const before = alarm ?? { at: 0, kinds: [], count: 0, urgent: 0, refused: 0, deniedActs: [] }
  return {
    at: Math.max(before.at, lastTime),
    kinds: [...new Set([...before.kinds, kind])].toSorted(),
    count: before.count + count,
    urgent: before.urgent + (URGENT_KINDS.has(kind) ? count : 0),
    refused: before.refused + (kind === 'refused' ? count : 0),
    deniedActs: deniedActsWith(before.deniedActs, entry),
  }
}

/** The first of them in the order of the alphabet: in which order they are stored does not matter. */
function deniedActsWith(acts: readonly string[], { use }: AuditEntry): readonly string[] {
  if (use?.refused?.by !== 'impersonation') return acts
  const whole = `${use.method ?? ''} ${use.path ?? ''}`
  const isLong = whole.length > 2 * MAX_ACT_PART_LENGTH
  const parts = [whole.slice(0, MAX_ACT_PART_LENGTH), whole.slice(-MAX_ACT_PART_LENGTH)]
  const act = (isLong ? parts.join('…') : whole).toWellFormed()
  return [...new Set([...acts, act])].toSorted().slice(0, DENIED_ACTS_PER_URGENCY)
}

/** How often there was a reason to look at once. There is an open one where it is more than was seen. */
export function urgencyOf(alarm: RowAlarm): number {
  return alarm.urgent + urgencyOfRefusals(alarm)
}

/** Of refused acts, none of which is urgent by itself. */
export function urgencyOfRefusals({ refused, deniedActs }: RowAlarm): number {
  const isProbing = deniedActs.length >= DENIED_ACTS_PER_URGENCY
  return Math.floor(refused / REFUSALS_PER_URGENCY) + (isProbing ? 1 : 0)
}

export function foldAcknowledgement(
  { acknowledged }: AuditRow,
  entry: AuditEntry,
): AuditRow['acknowledged'] {
  const { event, timeMs: time, by = '', note } = entry
  if (event !== 'support.acknowledged') return acknowledged
  const seen = {
    alarms: Math.max(acknowledged?.alarms ?? 0, entry.alarms ?? 0),
    urgency: Math.max(acknowledged?.urgency ?? 0, entry.urgency ?? 0),
  }
  if (acknowledged && acknowledged.at >= time) return { ...acknowledged, ...seen }
  return { at: time, by, ...present({ note }), ...seen }
}

/** The rank of what no lead has seen yet; `undefined` where there is nothing. */
export function openAlarmOf({ alarm, acknowledged }: AuditRow): AlarmRank | undefined {
  if (!alarm) return undefined
  if (urgencyOf(alarm) > (acknowledged?.urgency ?? 0)) return 'urgent'
  return alarm.count > (acknowledged?.alarms ?? 0) ? 'notable' : undefined
}

/** Whether there is an alarm of any rank that no lead has seen yet. */
export function isAlarmOpen(row: AuditRow): boolean {
  return openAlarmOf(row) !== undefined
}
