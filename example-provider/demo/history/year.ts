// The entries of a year, as the provider, the console and the API would have recorded them.
import { type AuditEntry, foldAlarm } from 'oidc-provider-impersonation-verify/format'
import { about, boundTo, type Case, idOf, impersonation, saidBy } from './impersonation.ts'
import { CUSTOMERS, isAtWork, LEADS, OPERATORS, PROTECTED } from './people.ts'
import { approval, EMERGENCY_REVIEW, emergency, inVain, objection } from './permits.ts'
import { type Random, randomFrom } from './random.ts'

export interface YearOptions {
  readonly impersonations: number
  /** The end of it, in milliseconds since the epoch. */
  readonly until: number
  /** The URL of the orders API. */
  readonly resource: string
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Within this time, what begins with an impersonation is over, but for what a lead has to do. */
const OVER_AFTER_MS = 30 * MINUTE_MS
/** Within this time, leads have looked at it. */
const SEEN_AFTER_MS = 2 * DAY_MS

const SEED = 1
const FIRST_TICKET = 1000
const REASONS = [
  'The parcel did not arrive',
  'The delivery address is wrong',
  'The customer cannot see the last order',
  'The delivery note is missing',
  'The order is shown twice',
  'The customer asks where the order is',
  'A neighbour takes the parcel',
]
const SEEN_NOTES = ['Talked to the operator', 'Talked to the customer', 'A slip']

/** In the order of their times. The same at each run, but for the end. */
export function entriesOfYear({ impersonations, until, resource }: YearOptions): AuditEntry[] {
  const random = randomFrom(SEED)
  const entries: AuditEntry[] = []
  let ticket = FIRST_TICKET
  let before: { readonly it: Case; readonly endedAt: number } | undefined
  for (const [number, start] of startTimes(random, impersonations, until).entries()) {
    ticket += random.between(1, 4)
    const fresh: Case = {
      number,
      at: start,
      operator: random.pick(OPERATORS),
      customer: random.pick(CUSTOMERS),
      mayChange: random.next() < 0.4,
      ticketId: `SUP-${ticket}`,
      reason: random.pick(REASONS),
      resource,
    }
    // Some go on where they were.
    const at = before && before.endedAt + MINUTE_MS
    const it: Case =
      before && at && at < until - OVER_AFTER_MS && random.next() < 0.3
        ? { ...before.it, number, at, continues: before.it.number }
        : fresh
    const permitted = it.continues === undefined ? withPermit(it, random, until) : { it }
    const { entries: acts, ...acting } = impersonation(permitted.it, random)
    const all = [...acts, ...troubleOf(it, random, until), ...(permitted.entries ?? [])]
    entries.push(...all, ...seenBy(it, all, random))
    before = acting.canGoOn ? { it: permitted.it, endedAt: acting.endedAt } : undefined
  }
  return entries
    .filter(({ timeMs }) => timeMs < until)
    .toSorted((one, other) => one.timeMs - other.timeMs)
}

/** On working days mostly, from eight to six. */
function startTimes(random: Random, count: number, until: number): number[] {
  const midnight = until - (until % DAY_MS)
  const times: number[] = []
  while (times.length < count) {
    const day = midnight - random.between(0, 364) * DAY_MS
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay())
    const time = day + random.between(8 * 60, 18 * 60) * MINUTE_MS + random.between(0, 59_999)
    if (time < until - OVER_AFTER_MS && (!isWeekend || random.next() < 0.15)) times.push(time)
  }
  return times.toSorted((one, other) => one - other)
}

/** Returns whether leads have looked at it by now. Nobody who works here is held up by this history. */
const isSettled = ({ at, operator }: Case, until: number) =>
  at < until - SEEN_AFTER_MS || !isAtWork(operator)

function withPermit(
  it: Case,
  random: Random,
  until: number,
): { readonly it: Case; readonly entries?: readonly AuditEntry[] } {
  const { asks } = it.customer
  if (asks === undefined || (asks === 'second_person' && !it.mayChange)) return { it }
  const permit = idOf('permit', it.number)
  const before = random.next() < 0.3 ? inVain(it, random) : []
  if (asks === 'second_person' && isSettled(it, until) && random.next() < 0.1) {
    const entries = [...before, ...emergency(it, permit, random)]
    return { it: { ...it, permit, review: EMERGENCY_REVIEW }, entries }
  }
  return { it: { ...it, permit }, entries: [...before, ...approval(it, permit, random)] }
}

/** Troubles that occur now and then. */
function troubleOf(it: Case, random: Random, until: number): readonly AuditEntry[] {
  const { at, operator, ticketId, reason, resource } = it
  const chance = random.next()
  if (chance < 0.006 && isSettled(it, until)) return objection(it, random)
  const timeMs = at + random.between(2, 8) * MINUTE_MS
  if (chance < 0.01) {
    const id = idOf('impersonation', it.number)
    return [{ ...about(it), event: 'impersonation.replayed', timeMs, id, mayAct: boundTo(it) }]
  }
  if (chance > 0.015) return []
  const customer = random.pick(PROTECTED)
  return [
    {
      ...saidBy({ ...it, customer }, operator),
      event: 'support.refused',
      timeMs,
      id: idOf('refused', it.number),
      actor: { sub: operator.id },
      mayAct: boundTo(it),
      resource,
      scope: 'orders:read',
      context: { ticketId, reason },
      protects: true,
      denial: { stage: 'issue', error: 'access_denied', reason: `${customer.name} works here` },
    },
  ]
}

/** A lead acknowledges the alarms of each row. */
function seenBy(it: Case, all: readonly AuditEntry[], random: Random): readonly AuditEntry[] {
  const rows = new Map<string, ReturnType<typeof foldAlarm>>()
  for (const entry of all) {
    const { id } = entry
    if (id !== undefined) rows.set(id, foldAlarm(rows.get(id), entry))
  }
  const alarms = [...rows].flatMap(([id, { alarm }]) => (alarm ? { id, alarm } : []))
  return alarms.map(({ id, alarm }) => ({
    event: 'support.acknowledged',
    id,
    timeMs: alarm.at + random.between(5, 900) * MINUTE_MS,
    by: random.pick(LEADS.filter((lead) => lead.id !== it.operator.id)).id,
    alarms: alarm.count,
    note: random.pick(SEEN_NOTES),
  }))
}
