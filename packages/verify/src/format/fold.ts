import { foldAcknowledgement, foldAlarm } from './alarm.ts'
import { foldDeliveries } from './delivery.ts'
import { type AuditEntry, isRefusal, type Named, USED_EVENT } from './entry.ts'
import { nonEmptyText, present } from './present.ts'
import type { AuditPerson, AuditRow, RowUse } from './row.ts'
import { allStorable } from './text.ts'
import type { ToldUse } from './told.ts'

/**
 * Adds an entry to a row. The order in which the entries of several processes are stored does
 * not matter: the result is the same. Two exceptions are harmless: of two names of one person, and of
 * two acts of one kind in the same millisecond, the row shows those that were stored first.
 *
 * @param row the row so far; `undefined` for the first entry
 */
export function fold(row: AuditRow | undefined, id: string, entry: AuditEntry): AuditRow {
  return present(sumWith(row, id, entry))
}

/** The same, and what is not known is `undefined`: many rows are added up faster. */
export function sumWith(row: AuditRow | undefined, id: string, told: AuditEntry): AuditRow {
  const entry = allStorable(told)
  const { timeMs: time, event, context, client, mayAct, resource } = entry
  const before: AuditRow = row ?? { ...NO_COUNTS, id, at: time, lastAt: time }
  const isStart = event === 'impersonation.started'
  const said = {
    permit: permitsOf(entry),
    review: nonEmptyText(entry.review),
    application: isStart ? (client ?? mayAct?.clientId) : mayAct?.clientId,
    resource: typeof resource === 'string' ? resource : resource?.[0],
    scope: entry.scope,
  }
  // The start says what counts.
  const [first, second] = isStart ? [said, before] : [before, said]
  return {
    id,
    at: Math.min(before.at, time),
    lastAt: Math.max(before.lastAt, time),
    ...countsWith(before, entry),
    customer: personOf(before.customer, entry.userId, entry.names?.user),
    operator: operatorOf(before, entry),
    software: before.software ?? (isAttempt(entry) ? undefined : entry.software),
    ticket: before.ticket ?? nonEmptyText(context?.ticketId),
    reason: before.reason ?? nonEmptyText(context?.reason),
    continues: before.continues ?? nonEmptyText(entry.continues),
    permit: first.permit ?? second.permit,
    review: first.review ?? second.review,
    application: first.application ?? second.application,
    requestedBy: before.requestedBy ?? entry.requestedBy,
    resource: first.resource ?? second.resource,
    scope: first.scope ?? second.scope,
    jti: before.jti ?? (isStart ? entry.jti : undefined),
    ...lifeOf(before, entry),
    end: endOf(before, entry),
    refusal: refusalOf(before, entry),
    ...foldAlarm(before, entry),
    acknowledged: foldAcknowledgement(before, entry),
    hold: holdOf(before, entry),
    objection: objectionOf(before, entry),
    deliveries: foldDeliveries(before.deliveries, entry),
    lastUse: lastUseOf(before, entry),
  }
}

/**
 * When an impersonation was asked for, when it started, and when what was issued expires. A request to
 * an API proves a start of which there is no entry. The result is the same in whatever order entries
 * are stored: an entry of the start beats what requests prove.
 */
function lifeOf(
  { askedAt, startedAt, expiresAt, isStartInferred }: AuditRow,
  { event, timeMs: time, expiresAt: seconds }: AuditEntry,
): Pick<AuditRow, 'askedAt' | 'expiresAt' | 'isStartInferred' | 'startedAt'> {
  const before = { askedAt, startedAt, expiresAt, isStartInferred }
  const isKnown = startedAt !== undefined && !isStartInferred
  const until = seconds === undefined ? undefined : seconds * 1000
  const earliest = Math.min(startedAt ?? time, time)
  switch (event) {
    case 'impersonation.issued': {
      const asked = { ...before, askedAt: Math.min(askedAt ?? time, time) }
      return isKnown ? asked : { ...asked, expiresAt: latest(expiresAt, until) }
    }
    case 'impersonation.started':
      return {
        askedAt,
        startedAt: isKnown ? earliest : time,
        expiresAt: until ?? expiresAt,
        isStartInferred: undefined,
      }
    case USED_EVENT:
      if (isKnown) return before
      return {
        askedAt,
        startedAt: earliest,
        expiresAt: latest(expiresAt, time),
        isStartInferred: true,
      }
    default:
      return before
  }
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}

const NO_COUNTS = { reads: 0, changes: 0, refused: 0, failed: 0, denied: 0, replays: 0 }
const READING_METHODS: ReadonlySet<string | undefined> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  undefined,
])

/** Returns the count that a request adds to. `failed`: the API answered with an error. */
export function useKindOf({
  method,
  status = 200,
  refused,
}: Pick<ToldUse, 'method' | 'status'> & { readonly refused?: unknown }) {
  if (refused) return 'refused'
  if (status >= 400) return 'failed'
  return READING_METHODS.has(method) ? 'reads' : 'changes'
}

function countsWith(row: Pick<AuditRow, keyof typeof NO_COUNTS>, entry: AuditEntry) {
  const { reads, changes, refused, failed, denied, replays } = row
  const all = { reads, changes, refused, failed, denied, replays }
  const kind = countedAs(entry)
  return kind ? { ...all, [kind]: all[kind] + (entry.count ?? 1) } : all
}

function countedAs(entry: AuditEntry): keyof typeof NO_COUNTS | undefined {
  if (entry.event === 'impersonation.replayed') return 'replays'
  if (isRefusal(entry)) return 'denied'
  return entry.event === USED_EVENT && entry.use ? useKindOf(entry.use) : undefined
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

/** Returns true if any holder of the token may have caused the entry. */
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

function refusalOf({ refusal }: AuditRow, entry: AuditEntry) {
  const { timeMs: time, denial } = entry
  if (!isRefusal(entry) || !denial || (refusal && refusal.at <= time)) return refusal
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
