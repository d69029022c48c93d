import { dueAtOf, FAILURES_PER_ALARM, nextToTell } from './delivery.ts'
import { type AuditEntry, MISLABELLED_EVENT, USED_EVENT } from './entry.ts'
import { present } from './present.ts'
import { ALARM_KINDS, type AlarmKind, type AuditRow } from './row.ts'

/** So many refusals in one impersonation are an alarm together. */
const REFUSALS_PER_ALARM = 10
/** So many different acts that are closed to impersonations are an alarm together. */
const DENIED_ACTS_PER_ALARM = 3
/** Characters that are kept of each act, at its beginning and at its end. */
const MAX_ACT_PART_LENGTH = 128

/**
 * Returns the kind of alarm of an entry, if it is one. Refused acts are an alarm only together.
 */
export function alarmKindOf({ event, use, protects, delivery }: AuditEntry): AlarmKind | undefined {
  if (event === 'impersonation.replayed') return 'replayed'
  if (event === 'support.refused' && protects) return 'protected'
  // A tab that is still open asks once more after the end: that is refused, and no act.
  if (event === USED_EVENT && use?.refused && use.refused.by !== 'status') {
    return use.refused.by === 'replay' ? 'proof_reused' : 'refused'
  }
  if (event === 'support.objected') return 'objection'
  if (event === MISLABELLED_EVENT) return 'tampered'
  const isToCustomer = event === 'support.untold' && delivery?.to === 'customer'
  if (isToCustomer && delivery.failures === FAILURES_PER_ALARM) return 'not_notified'
  return undefined
}

/** Returns true if an entry is an alarm, whatever else happened. */
export function isAlarmByItself(entry: AuditEntry): boolean {
  const kind = alarmKindOf(entry)
  return kind !== undefined && kind !== 'refused'
}

/** The next alarm to tell. Refused acts are told each time that they become an alarm together. */
export function pendingAlarmOf({ deliveries, refusedActs }: AuditRow) {
  const side = deliveries?.deployment
  const countOf = (kind: AlarmKind) =>
    kind === 'refused' ? alarmsOf(refusedActs) : (side?.due[kind]?.count ?? 0)
  return side && nextToTell(side, ALARM_KINDS, countOf)
}

/** When the deployment is to be told of an alarm. */
export function alarmDueAt(row: AuditRow): number | undefined {
  const side = row.deliveries?.deployment
  const pending = pendingAlarmOf(row)
  return side && pending && dueAtOf(side, side.due[pending.kind]?.at ?? 0)
}

/** The alarm of a row, and the refused acts that may become one. */
export function foldAlarm(
  row: Pick<AuditRow, 'alarm' | 'refusedActs'> | undefined,
  entry: AuditEntry,
): Pick<AuditRow, 'alarm' | 'refusedActs'> {
  const { count = 1, timeMs } = entry
  const { alarm, refusedActs: before } = row ?? {}
  const kind = alarmKindOf(entry)
  if (kind === undefined) return { refusedActs: before, alarm }
  const refusedActs = kind === 'refused' ? withRefused(before, entry) : before
  const more = kind === 'refused' ? alarmsOf(refusedActs) - alarmsOf(before) : count
  if (kind === 'refused' && alarmsOf(refusedActs) === 0) return { refusedActs, alarm }
  // The last of all refused acts, in whatever order they are stored.
  const time = kind === 'refused' ? (refusedActs?.at ?? timeMs) : timeMs
  return {
    refusedActs,
    alarm: {
      at: Math.max(alarm?.at ?? 0, time),
      kinds: [...new Set([...(alarm?.kinds ?? []), kind])].toSorted(),
      count: (alarm?.count ?? 0) + more,
    },
  }
}

function withRefused(acts: AuditRow['refusedActs'], entry: AuditEntry) {
  return {
    at: Math.max(acts?.at ?? 0, entry.timeMs),
    count: (acts?.count ?? 0) + (entry.count ?? 1),
    denied: deniedActsWith(acts?.denied ?? [], entry),
  }
}

/** The first of them in the order of the alphabet: in which order they are stored does not matter. */
function deniedActsWith(acts: readonly string[], { use }: AuditEntry): readonly string[] {
  if (use?.refused?.by !== 'impersonation') return acts
  const whole = `${use.method ?? ''} ${use.path ?? ''}`
  const isLong = whole.length > 2 * MAX_ACT_PART_LENGTH
  const parts = [whole.slice(0, MAX_ACT_PART_LENGTH), whole.slice(-MAX_ACT_PART_LENGTH)]
  const act = (isLong ? parts.join('…') : whole).toWellFormed()
  return [...new Set([...acts, act])].toSorted().slice(0, DENIED_ACTS_PER_ALARM)
}

/** Returns the number of alarms that refused acts are together. */
function alarmsOf(acts: AuditRow['refusedActs']): number {
  if (!acts) return 0
  const isProbing = acts.denied.length >= DENIED_ACTS_PER_ALARM
  return Math.floor(acts.count / REFUSALS_PER_ALARM) + (isProbing ? 1 : 0)
}

export function foldAcknowledgement(
  { acknowledged }: AuditRow,
  entry: AuditEntry,
): AuditRow['acknowledged'] {
  const { event, timeMs: time, by = '', note } = entry
  if (event !== 'support.acknowledged') return acknowledged
  const alarms = Math.max(acknowledged?.alarms ?? 0, entry.alarms ?? 0)
  if (acknowledged && acknowledged.at >= time) return { ...acknowledged, alarms }
  return { at: time, by, ...present({ note }), alarms }
}

/** The alarms that wait for a lead. A refused act is seen in the audit, and an emergency waits as a record. */
const URGENT: readonly AlarmKind[] = [
  'replayed',
  'proof_reused',
  'objection',
  'not_notified',
  'tampered',
]

/** Returns true if there is an urgent alarm that no lead has seen yet. */
export function isAlarmOpen({ alarm, acknowledged }: AuditRow): boolean {
  const isUrgent = alarm?.kinds.some((kind) => URGENT.includes(kind)) === true
  return isUrgent && alarm.count > (acknowledged?.alarms ?? 0)
}
