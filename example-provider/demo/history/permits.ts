// Requests for an approval, emergencies and pauses, and what was decided on them.
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { about, boundTo, type Case, idOf, saidBy, scopeOf } from './impersonation.ts'
import { type Known, LEADS } from './people.ts'
import type { Random } from './random.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The length of a window, in seconds. */
const WINDOW_S = 3600
const EMERGENCY_WINDOW_S = 600

const GRANTED_NOTES = ['Saw the ticket', 'The customer called me, too', '', '']
const CUSTOMERS_NOTES = ['Yes, please look', 'I am at the phone with you', '', '']
const REFUSED_NOTES = ['Call the customer first', 'To look is enough for this']
const REVIEWED_NOTES = ['Nobody else was there, and it was urgent', 'Looked at each request']

const needOf = ({ customer }: Case) => customer.asks ?? 'second_person'

/** The person who decides: the customer, or a lead. */
const deciderOf = (it: Case, random: Random): Known =>
  needOf(it) === 'user' ? it.customer : random.pick(LEADS)

const termsOf = (it: Case) => {
  const { ticketId, reason, resource } = it
  return { resource, scope: scopeOf(it), mayAct: boundTo(it), context: { ticketId, reason } }
}

function asked(it: Case, permit: string, timeMs: number): AuditEntry {
  return {
    ...saidBy(it, it.operator),
    event: 'support.requested',
    timeMs,
    permit,
    ...termsOf(it),
    terms: { needs: [needOf(it)], for: WINDOW_S, lapsesAt: timeMs + DAY_MS },
  }
}

/** A permit that there is. */
const later = (it: Case, by: Known, permit: string, timeMs: number) => ({
  ...saidBy(it, by),
  mayAct: boundTo(it),
  permit,
  timeMs,
})

/** It is asked for, and somebody allows it a little later. */
export function approval(it: Case, permit: string, random: Random): readonly AuditEntry[] {
  const grantedAt = it.at - random.between(1, 30) * MINUTE_MS
  return [
    asked(it, permit, grantedAt - random.between(1, 40) * MINUTE_MS),
    {
      ...later(it, deciderOf(it, random), permit, grantedAt),
      event: 'support.granted',
      need: needOf(it),
      note: random.pick(needOf(it) === 'user' ? CUSTOMERS_NOTES : GRANTED_NOTES),
    },
  ]
}

export const EMERGENCY_REVIEW = 'emergency'

/** The operator acts without an approval, and a lead looks at it afterwards. */
export function emergency(it: Case, permit: string, random: Random): readonly AuditEntry[] {
  const timeMs = it.at - MINUTE_MS
  const reviewedAt = it.at + random.between(1, 20) * HOUR_MS
  return [
    {
      ...saidBy(it, it.operator),
      event: 'support.emergency',
      timeMs,
      permit,
      ...termsOf(it),
      terms: { needs: [needOf(it)], for: EMERGENCY_WINDOW_S },
    },
    {
      ...later(it, random.pick(LEADS), permit, reviewedAt),
      event: 'support.reviewed',
      note: random.pick(REVIEWED_NOTES),
    },
  ]
}

/** Days before, the operator asked for something else, and nothing came of it. */
export function inVain(it: Case, random: Random): readonly AuditEntry[] {
  const permit = idOf('asked in vain', it.number)
  const askedAt = it.at - 3 * DAY_MS
  const request = asked({ ...it, ticketId: `${it.ticketId}0` }, permit, askedAt)
  const decidedAt = askedAt + random.between(5, 300) * MINUTE_MS
  const need = needOf(it)
  const note = need === 'user' ? 'I need no help any more' : random.pick(REFUSED_NOTES)
  const decided: readonly AuditEntry[] = [
    {
      ...later(it, deciderOf(it, random), permit, decidedAt),
      event: 'support.declined',
      need,
      note,
    },
    { ...later(it, it.operator, permit, decidedAt), event: 'support.revoked' },
  ]
  // The request lapses if nobody decides.
  return [request, ...decided.slice(random.between(0, 2)).slice(0, 1)]
}

/** The customer says *I did not ask for this*: the operator is paused, until a lead lifts it. */
export function objection(it: Case, random: Random): readonly AuditEntry[] {
  const permit = idOf('pause', it.number)
  const id = idOf('impersonation', it.number)
  const note = 'I did not call support'
  const timeMs = it.at + random.between(20, 600) * MINUTE_MS
  const resumedAt = timeMs + random.between(1, 20) * HOUR_MS
  const mayAct = { sub: it.operator.id }
  return [
    {
      ...about(it),
      event: 'support.objected',
      timeMs,
      id,
      by: it.customer.id,
      note,
    },
    {
      ...saidBy(it, it.customer),
      event: 'support.stopped',
      timeMs,
      permit,
      mayAct,
      context: { impersonation: id },
      note,
    },
    {
      ...saidBy(it, random.pick(LEADS)),
      event: 'support.lifted',
      timeMs: resumedAt,
      permit,
      mayAct,
      note: 'A colleague of the customer had called',
    },
  ]
}
