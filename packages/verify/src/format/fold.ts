import { foldAcknowledgement, foldAlarm } from './alarm.ts'
import { foldDeliveries } from './delivery.ts'
import { type AuditEntry, type Named, USED_EVENT } from './entry.ts'
import { lifeOf } from './life.ts'
import { nonEmptyText, present } from './present.ts'
import type { AuditPerson, AuditRow, RowUse } from './row.ts'
import { allStorable } from './text.ts'

/**
 * Adds an entry to a row. The order in which the entries of several processes are stored does
 * not matter: the result is the same. Two exceptions are harmless: of two names of one person, and of
 * two acts of one kind in the same millisecond, the row shows those that were stored first.
 *
 * @param row the row so far; `undefined` for the first entry
 */
export function fold(row: AuditRow | undefined, id: string, entry: AuditEntry): AuditRow {
  return present(sumWith(row && { ...NOTHING_KNOWN, ...row }, id, entry))
}

/**
 * The same, and what is not known is `undefined`: rows of one form are added up fast. The members of a row
 * have one order, so that two rows can be compared as JSON.
 *
 * @param row one that this function made
 */
export function sumWith(row: AuditRow | undefined, id: string, told: AuditEntry): AuditRow {
  const entry = allStorable(told)
  const { timeMs: time, event, context, client, resource, scope, jti, requestedBy } = entry
  const before: AuditRow = row ?? { ...NOTHING_KNOWN, id, at: time, lastAt: time }
  const { askedAt, startedAt, expiresAt, isStartInferred } = lifeOf(before, entry)
  const isStart = event === 'impersonation.started'
  const target = typeof resource === 'string' ? resource : resource?.[0]
  return {
    ...before,
    customer: personOf(before.customer, entry.userId, entry.names?.user),
    operator: operatorOf(before, entry),
    software: before.software ?? (isAttempt(entry) ? undefined : entry.software),
    ticket: before.ticket ?? nonEmptyText(context?.ticketId),
    reason: before.reason ?? nonEmptyText(context?.reason),
    continues: before.continues ?? nonEmptyText(entry.continues),
    permit: (isStart ? permitsOf(entry) : undefined) ?? before.permit ?? permitsOf(entry),
    review:
      (isStart ? nonEmptyText(entry.review) : undefined) ??
      before.review ??
      nonEmptyText(entry.review),
    application: (isStart ? client : undefined) ?? before.application ?? entry.mayAct?.clientId,
    requestedBy: before.requestedBy ?? requestedBy,
    resource: (isStart ? target : undefined) ?? before.resource ?? target,
    scope: isStart ? (scope ?? before.scope) : (before.scope ?? scope),
    jti: before.jti ?? (isStart ? jti : undefined),
    askedAt,
    startedAt,
    expiresAt,
    isStartInferred,
    end: endOf(before, entry),
    refusal: refusalOf(before, entry),
    ...foldAlarm(before, entry),
    acknowledged: foldAcknowledgement(before, entry),
    hold: holdOf(before, entry),
    objection: objectionOf(before, entry),
    deliveries: foldDeliveries(before.deliveries, entry),
    lastUse: lastUseOf(before, entry),
    at: Math.min(before.at, time),
    lastAt: Math.max(before.lastAt, time),
    ...countKind(before, entry),
  }
}

const NOTHING_KNOWN: Required<AuditRow> = {
  ...{ id: '', at: 0, lastAt: 0 },
  ...{ reads: 0, changes: 0, refused: 0, failed: 0, denied: 0, replays: 0 },
  ...{ customer: undefined, operator: undefined, software: undefined },
  ...{ ticket: undefined, reason: undefined, continues: undefined, permit: undefined },
  ...{ review: undefined, application: undefined, requestedBy: undefined, resource: undefined },
  ...{ scope: undefined, jti: undefined, askedAt: undefined, startedAt: undefined },
  ...{ expiresAt: undefined, isStartInferred: undefined, end: undefined, refusal: undefined },
  ...{
    refusedActs: undefined,
    alarm: undefined,
    acknowledged: undefined,
    hold: undefined,
    objection: undefined,
  },
  ...{ deliveries: undefined, lastUse: undefined },
}
const READING_METHODS: ReadonlySet<string | undefined> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  undefined,
])

/** As what a request is counted. `failed`: the API answered it with an error. */
export function useKindOf({
  method,
  status = 200,
  refused,
}: {
  readonly method?: string | undefined
  readonly status?: number | undefined
  readonly refused?: unknown
}): 'changes' | 'failed' | 'reads' | 'refused' {
  if (refused) return 'refused'
  if (status >= 400) return 'failed'
  return READING_METHODS.has(method) ? 'reads' : 'changes'
}

function countKind(row: AuditRow, { event, use, count = 1 }: AuditEntry) {
  const { reads, changes, refused, failed, denied, replays } = row
  const all = { reads, changes, refused, failed, denied, replays }
  if (event === 'impersonation.replayed') return { ...all, replays: replays + count }
  if (event === 'impersonation.denied' || event === 'support.refused') {
    return { ...all, denied: denied + count }
  }
  if (event !== USED_EVENT || !use) return all
  const kind = useKindOf(use)
  return { ...all, [kind]: all[kind] + count }
}

/**
 * The actor that redeemed it, or the operator that it was made for. An attempt that is refused may come
 * from any actor: it does not say who the operator of a token is.
 */
function operatorOf({ operator }: AuditRow, entry: AuditEntry): AuditPerson | undefined {
  const { event, id, userId, actor, mayAct, names } = entry
  const isOfToken = id !== undefined && userId !== undefined
  const named = actor?.sub ?? mayAct?.sub
  const operatorId = isOfToken && isAttempt(entry) ? mayAct?.sub : named
  const isDecided = event === 'impersonation.started' && operatorId !== undefined
  const before = isDecided && operator?.id !== operatorId ? undefined : operator
  return personOf(before, operatorId, operatorId === named ? names?.actor : undefined)
}

/** What was refused may come from any holder of the token. */
const isAttempt = ({ event }: AuditEntry) =>
  event === 'impersonation.denied' || event === 'impersonation.replayed'

/** The person who is known, with the names that were missing. */
function personOf(
  person: AuditPerson | undefined,
  id: string | undefined,
  named: Named | undefined,
): AuditPerson | undefined {
  if (id === undefined || (person && person.id !== id)) return person
  const { name = named?.name, email = named?.email } = person ?? {}
  if (person?.name === name && person?.email === email) return person ?? { id }
  return { id, ...present({ name, email }) }
}

function endOf({ end }: AuditRow, entry: AuditEntry): AuditRow['end'] {
  if (entry.event !== 'impersonation.ended' || (end && end.at <= entry.timeMs)) return end
  const { cause = 'requested', by, reason } = entry.end ?? {}
  const name = entry.names?.by?.name
  return { at: entry.timeMs, cause, ...present({ by: by?.sub, name, reason }) }
}

function refusalOf({ refusal }: AuditRow, { event, timeMs: time, denial }: AuditEntry) {
  const isRefusal = event === 'impersonation.denied' || event === 'support.refused'
  if (!isRefusal || !denial || (refusal && refusal.at <= time)) return refusal
  return { at: time, error: denial.error, reason: denial.reason }
}

function holdOf(
  { hold }: AuditRow,
  { event, timeMs: time, by = '', note }: AuditEntry,
): AuditRow['hold'] {
  const isHeld = event === 'support.held'
  if ((!isHeld && event !== 'support.released') || (hold && hold.at >= time)) return hold
  return { at: time, by, isHeld, ...present({ note }) }
}

function objectionOf({ objection }: AuditRow, { event, timeMs: time, note }: AuditEntry) {
  if (event !== 'support.objected' || (objection && objection.at >= time)) return objection
  return { at: time, ...present({ note }) }
}

function lastUseOf(
  { lastUse }: AuditRow,
  { event, use, timeMs: at }: AuditEntry,
): RowUse | undefined {
  if (event !== USED_EVENT || !use) return lastUse
  const { method, path, status, refused, audience } = use
  const told = {
    at,
    ...present({ method, path, status, isRefused: refused && (true as const) }),
    audience,
  }
  return lastUse && orderOfUse(lastUse) >= orderOfUse(told) ? lastUse : told
}

/** Of two in one millisecond, one is the last, in whatever order they are stored. */
function orderOfUse({ at, method, path, status, isRefused, audience }: RowUse): string {
  return JSON.stringify([String(at).padStart(16, '0'), method, path, status, isRefused, audience])
}

/** The permit that allowed it, or several. */
function permitsOf({ permit }: AuditEntry): string | readonly string[] | undefined {
  return typeof permit === 'string' || permit === undefined ? nonEmptyText(permit) : permit
}
