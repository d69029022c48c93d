import { type AuditRow, decodeEntry, isSameTicket } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { isId } from '../../../kernel/ids.ts'
import { exactly, readBy } from '../../../kernel/input.ts'
import { actEntries, requestFor } from '../../../web/acting/asked-for.ts'
import { canChange } from '../../../web/applications.ts'
import { settle } from '../../../web/audit.ts'
import { askProvider, invalid, notFound, Problem } from '../../../web/http/problem.ts'
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
  const id = call.param('id')
  const { request, expiresAt } = await askedBefore(call, id, call.body.access)
  const handOver = await issueHandOver(call, request, { continues: id })
  // An impersonation that is over has no end to ask for.
  if (expiresAt > call.now()) await endAsCaller(call, id)
  return handOver
}

/**
 * Asks the rule whether the caller may go on. It is no promise: the start asks again. If the rule cannot be asked, the
 * way on stays: what may not be is refused at the start.
 */
export async function findWayOn(call: Call, id: string, access?: 'change') {
  try {
    await call.limitStripPreviews(call.caller.id)
    const { request } = await askedBefore(call, id, access)
    const asked = await requestFor(call, request)
    return (await call.preview(asked.request, call.ctx)).verdict
  } catch (error) {
    const isAnswer = error instanceof Problem && error.statusCode < 500 && error.statusCode !== 429
    return isAnswer ? 'refused' : 'allowed'
  }
}

/** Finds the request of an impersonation that the caller ran and may continue, or the same with wider access. */
async function askedBefore(call: Call, id: string, wider: 'change' | undefined) {
  const { audit, caller, gate, settings } = call
  await settle(audit)
  const row = isId(id) ? await audit.store.row(id) : undefined
  const stored = row ? await audit.store.timeline(id, { limit: FIRST_ENTRIES }) : []
  const entries = stored.map(({ text = '' }) => decodeEntry(text))
  const issued = entries.find((entry) => entry?.event === 'impersonation.issued')
  if (!row || !issued || row.operator?.id !== caller.id || row.startedAt === undefined) {
    throw notFound('there is no such impersonation of yours to continue')
  }
  // An objection ended it: then the start says that.
  if (!(await gate.findStop(call, row.customer?.id ?? ''))) {
    const end = row.end ?? (await endAtProvider(call, row.id))
    if (!isContinuable({ ...row, end }, call)) {
      throw new Problem(409, 'conflict', 'it is over: ask for a new one, with a reason')
    }
  }
  const { userId, context, mayAct } = issued
  const { ticketId, reason, access, duration } = context ?? {}
  const given = {
    userId,
    ticketId,
    reason,
    duration,
    access: wider ?? access,
    application: mayAct?.clientId,
  }
  return {
    request: readBy(exactly(actEntries(settings)), given, invalid),
    expiresAt: row.expiresAt ?? 0,
  }
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
  const { audit, caller, settings } = call
  await settle(audit)
  const found = await findRow(call)
  const { id, application, customer, scope, ticket } = found
  if (!customer || found.operator?.id !== caller.id) {
    throw notFound('there is no such impersonation of yours')
  }
  const { running } = await runningImpersonations(call, { actor: caller.id })
  const isOn = running.some(
    (it) => it.id !== id && it.customer.id === customer.id && isSameTicket(it.ticket, ticket),
  )
  return {
    row: { ...shownRow(found, call), customer },
    canChange: canChange(settings.applications, application, scope),
    /** Absent if the caller has gone on with it. */
    wayOn: isOn ? undefined : await findWayOn(call, id),
  }
}
