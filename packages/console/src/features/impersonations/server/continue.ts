import type { Preview } from 'oidc-provider-impersonation'
import { type AuditRow, decodeEntry } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { isId } from '../../../kernel/ids.ts'
import { exactly, type Read, readBy } from '../../../kernel/input.ts'
import { actEntries, requestFor } from '../../../web/acting/asked-for.ts'
import type { ActBody, HandOver } from '../../../web/answers.ts'
import { settle } from '../../../web/audit.ts'
import { askProvider, invalid, notFound, Problem } from '../../../web/http/problem.ts'
import type { Call } from '../../../web/parts.ts'
import { issueHandOver } from './act.ts'
import { endAsCaller } from './running.ts'

/** How long after its time was over, or the caller ended it, it can be continued, in milliseconds. */
const CONTINUABLE_MS = 600_000
/** Entries of an impersonation that are read, to find how it was asked for. */
const FIRST_ENTRIES = 20

export const WIDER = { access: v.optional(v.literal('change', 'must be change')) }

/**
 * Goes on with an impersonation. The first one ends once the second is issued, so a refusal ends
 * nothing: an application lets one impersonation act at a time.
 */
export async function continueImpersonation(
  call: Call & { readonly body: Read<typeof WIDER> },
): Promise<HandOver> {
  const id = call.param('id')
  const { request, expiresAt } = await askedBefore(call, id, call.body.access)
  const handOver = await issueHandOver(call, request, { continues: id })
  if (expiresAt > call.now()) await endAsCaller(call, id)
  return handOver
}

/** What the rule says of going on. It is no promise: the start asks again. */
export type WayOn = Preview['verdict']

/** If the rule cannot be asked, the way on stays: what may not be is refused at the start. */
export async function findWayOn(call: Call, id: string, access?: 'change'): Promise<WayOn> {
  try {
    await call.limitStripPreviews(call.caller.id)
    return await askToContinue(call, id, access)
  } catch (error) {
    return error instanceof Problem && error.error === 'not_found' ? 'refused' : 'allowed'
  }
}

async function askToContinue(call: Call, id: string, access?: 'change'): Promise<WayOn> {
  try {
    const { request } = await askedBefore(call, id, access)
    const asked = await requestFor(call, request)
    return (await call.preview(asked.request, call.ctx)).verdict
  } catch (error) {
    const isAnswer = error instanceof Problem && error.statusCode < 500 && error.statusCode !== 429
    if (!isAnswer || error.error === 'not_found') throw error
    return 'refused'
  }
}

interface Continuable {
  /** How it was asked for, or the same with wider access. */
  readonly request: ActBody
  /** Unix time in milliseconds. What is over already has no end to ask for. */
  readonly expiresAt: number
}

/** An impersonation that the caller ran, and that may be continued. */
async function askedBefore(
  call: Call,
  id: string,
  wider: 'change' | undefined,
): Promise<Continuable> {
  const { audit, caller } = call
  const gone = () => notFound('there is no such impersonation of yours to continue')
  if (!isId(id)) throw gone()
  await settle(audit)
  const row = await audit.store.row(id)
  if (!row || row.operator?.id !== caller.id || row.startedAt === undefined) throw gone()
  // An objection ended it: then the start says that.
  if (!(await call.gate.findStop(call, row.customer?.id ?? ''))) {
    const end = row.end ?? (await endAtProvider(call, row.id))
    if (!isContinuable({ ...row, end }, call)) {
      throw new Problem(409, 'conflict', 'it is over: ask for a new one, with a reason')
    }
  }
  const entries = await audit.store.timeline(id, { limit: FIRST_ENTRIES })
  for (const { text } of entries) {
    const entry = text === undefined ? undefined : decodeEntry(text)
    if (entry?.event !== 'impersonation.issued') continue
    const { userId, context, mayAct } = entry
    const request = readBy(
      exactly(actEntries(call.settings)),
      {
        userId,
        application: mayAct?.clientId,
        ticketId: context?.ticketId,
        reason: context?.reason,
        access: wider ?? context?.access,
        duration: context?.duration,
      },
      invalid,
    )
    return { request, expiresAt: row.expiresAt ?? 0 }
  }
  throw gone()
}

/**
 * Whether its time was over, or the caller ended it, and no more than a moment ago. Else going on is a request
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
