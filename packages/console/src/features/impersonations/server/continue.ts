import { type AuditRow, decodeEntry, isSameTicket } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { readAsked, requestFor } from '../../../web/acting/asked-for.ts'
import type { RowAnswer } from '../../../web/answers.ts'
import { settle } from '../../../web/audit.ts'
import { askProvider, notFound, Problem } from '../../../web/http/problem.ts'
import type { Call, WithBody } from '../../../web/parts.ts'
import { findRow, shownRow } from '../../../web/rows.ts'
import { issueHandOver } from './act.ts'
import { endAsCaller, runningImpersonations } from './running.ts'

/** The time in which it can be continued, after its own was over or the caller ended it, in milliseconds. */
const CONTINUABLE_MS = 600_000
/** Entries of an impersonation that are read, to find how it was asked for. */
const FIRST_ENTRIES = 20

export const WIDER = { access: v.optional(v.literal('change', 'must be change')) }

/**
 * `POST /impersonations/:id/continue`: goes on with one that the caller ran, with the same access or a wider one. 404
 * where it is not the caller's own, or never began. 409 `conflict` where another person, a policy or a replay ended
 * it, or where it has been over for more than ten minutes. The first one ends once the second is issued, so a refusal ends
 * nothing: an application lets one impersonation act at a time.
 */
export async function continueImpersonation(call: WithBody<typeof WIDER>) {
  const row = await findOwn(call)
  const { id, expiresAt = 0 } = row
  const request = await askedBefore(call, row, call.body.access)
  const handOver = await issueHandOver(call, request, { continues: id })
  // An impersonation that is over has no end to ask for.
  if (expiresAt > call.now()) await endAsCaller(call, id)
  return handOver
}

/**
 * Asks the rule whether the caller may go on. It is no promise: the start asks again. If the rule cannot be asked, the
 * way on stays: what may not be is refused at the start.
 */
export async function findWayOn(call: Call, row: RowAnswer, access?: 'change') {
  try {
    await call.limitStripPreviews(call.caller.id)
    const { request } = await requestFor(call, await askedBefore(call, row, access))
    return (await call.preview(request, call.ctx)).verdict
  } catch (error) {
    const isAnswer = error instanceof Problem && error.statusCode < 500 && error.statusCode !== 429
    return isAnswer ? 'refused' : 'allowed'
  }
}

/** Finds the impersonation of the path. @throws Problem 404 for one that the caller did not run */
async function findOwn(call: Call) {
  await settle(call.audit)
  const row = shownRow(await findRow(call), call)
  const { customer, isMine } = row
  if (!customer || !isMine) throw notFound('there is no such impersonation of yours')
  return { ...row, customer }
}

/** Finds the request of an impersonation that the caller may continue, or the same with wider access. */
async function askedBefore(call: Call, row: RowAnswer, wider: 'change' | undefined) {
  const { id, customer, startedAt } = row
  const stored = await call.audit.store.timeline(id, { limit: FIRST_ENTRIES })
  const entries = stored.map(({ text = '' }) => decodeEntry(text))
  const issued = entries.find((entry) => entry?.event === 'impersonation.issued')
  if (!issued || startedAt === undefined) throw notFound('it never began')
  // An objection ended it: then the start says that.
  if (!(await call.gate.findStop(call, customer?.id ?? ''))) {
    const end = row.end ?? (await endAtProvider(call, id))
    if (!isContinuable({ ...row, end }, call)) {
      throw new Problem(409, 'conflict', 'it is over: ask for a new one, with a reason')
    }
  }
  const { userId, context, mayAct } = issued
  const { ticketId, reason, access, duration } = context ?? {}
  return readAsked(call, {
    userId,
    ticketId,
    reason,
    duration,
    access: wider ?? access,
    application: mayAct?.clientId,
  })
}

/**
 * Checks whether its time was over, or the caller ended it, a moment ago at most. Else going on is a request
 * of its own, with a reason of its own.
 */
export function isContinuable({ end, expiresAt = 0 }: AuditRow, { caller, now }: Call): boolean {
  const isOwn = end?.cause === 'requested' || end?.cause === 'operator_signed_out'
  const isStopped = end !== undefined && !(isOwn && end.by === caller.id)
  return !isStopped && (end?.at ?? expiresAt) >= now() - CONTINUABLE_MS
}

/** An end of which the audit does not know yet. */
async function endAtProvider({ provider }: Call, id: string): Promise<AuditRow['end']> {
  const end = (await askProvider(() => provider.impersonation.get(id)))?.end
  return end && { at: end.at * 1000, cause: end.cause, by: end.by?.sub }
}

/**
 * `GET /continue/:id`: where an application leads after a reload. It shows what can be gone on with, and starts,
 * ends and records nothing: any link may lead here.
 */
export async function showContinue(call: Call) {
  const row = await findOwn(call)
  const { running } = await runningImpersonations(call, { actor: call.caller.id })
  const isOn = running.some(
    ({ id, customer, ticket }) =>
      id !== row.id && customer.id === row.customer.id && isSameTicket(ticket, row.ticket),
  )
  /** `wayOn` is absent if the caller has gone on with it. */
  return { row, wayOn: isOn ? undefined : await findWayOn(call, row) }
}
