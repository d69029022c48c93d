import {
  type AuditRecord,
  isReviewDue,
  isSameTicket,
  MAX_REASON_LENGTH,
} from 'oidc-provider-impersonation-verify/format'
import { ACTING_ROLES } from '../../../kernel/roles.ts'
import {
  type RecordCall,
  type RecordParts,
  shownDeciders,
  shownRecord,
} from '../../../records/api/shown.ts'
import { stoppedError } from '../../../records/in-force.ts'
import { refusalsIn } from '../../../records/refusals.ts'
import { actEntries, actForm, askFor } from '../../../web/acting/asked-for.ts'
import type { ActBody } from '../../../web/answers.ts'
import { writtenText } from '../../../web/http/json-body.ts'
import { notFound, Problem } from '../../../web/http/problem.ts'
import { recordPath } from '../../../web/kit/paths.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { AskedFor, Call, Gate, MissingApproval } from '../../../web/parts.ts'
import type { Approval } from '../../../web/record-answer.ts'
import type { ConsolePermits } from './permits.ts'

export interface PermitParts {
  /** Absent if the console has none. */
  readonly permits: ConsolePermits | undefined
}

export type PermitCall = PermitParts & RecordCall

/** @throws Problem 404 if the console has no permits */
function requirePermits({ permits }: PermitParts) {
  if (permits) return permits
  throw notFound('there is nothing here')
}

const { action } = linesFor<PermitCall>()

/** The checks of records before a start. */
export function permitGate(parts: PermitParts & RecordParts): Gate {
  const own = (call: Call): PermitCall => ({ ...call, ...parts })
  return {
    hasPermits: parts.permits !== undefined,
    async findStop(call, customer) {
      const stop = await parts.records.findStop(call.caller.id, customer)
      return stop && shownRecord(stop, call)
    },
    stoppedProblem(record) {
      const { statusCode, error, message } = stoppedError(record)
      return new Problem(statusCode, error, message, { more: { record } })
    },
    issue: (call, asked, body, why) => issue(own(call), asked, body, why),
    findApproval: (call, asked, body, needed) => findApproval(own(call), asked, body, needed),
    revokeEmergencies: ({ caller }, ids) => parts.records.revokeEmergencies(ids, caller.id),
  }
}

/** @param why it cannot wait, in an emergency */
async function issue(call: PermitCall, asked: AskedFor, body: ActBody, why: string | undefined) {
  if (why !== undefined) {
    await begin(call, asked, body, why).catch((problem: unknown) => {
      // If no approval is needed any more, nothing is stored.
      if (!(problem instanceof Problem) || problem.error !== 'not_needed') throw problem
    })
  }
  const request = await withPermitsReason(asked, call)
  return call.issue(request, call.ctx, body.duration).catch(async (problem: unknown) => {
    if (!(problem instanceof Problem) || problem.error !== 'approval_required') throw problem
    const { statusCode, error, message } = problem
    const { approval: needed } = problem.more as { readonly approval: MissingApproval }
    const approval = await findApproval(call, asked, body, needed)
    throw new Problem(statusCode, error, message, { more: { approval } })
  })
}

/** The request, with the reason that was approved: what a person approved is what is written down. */
async function withPermitsReason(
  { application, customer, request }: AskedFor,
  { caller, ctx, now, permits, preview, records }: PermitCall,
): Promise<AskedFor['request']> {
  if (!permits) return request
  const filter = { customer: customer.id, operator: caller.id, state: 'granted' } as const
  const found = await records.list({ ...filter, notOverAt: now() })
  const granted = found.filter((each) => each.application === application.clientId)
  if (granted.length === 0) return request
  // The rule alone says under which permit it would start, or that it needs none.
  const { permit = [] } = await preview(request, ctx)
  const reason = granted.find(({ id }) => [permit].flat().includes(id))?.reason
  return reason === undefined ? request : { ...request, context: { ...request.context, reason } }
}

/** Finds what the rule needs, and what the operator can do about it. Without permits, that is nothing. */
async function findApproval(
  call: PermitCall,
  { request }: AskedFor,
  body: ActBody,
  { by, emergency }: MissingApproval,
): Promise<Approval | undefined> {
  const { caller, now, permits, records } = call
  if (!permits) return undefined
  const needsSecond = by.includes('second_person')
  const [own, deciders] = await Promise.all([
    records.list({ operator: caller.id, notOverAt: now() }),
    needsSecond ? permits.findDeciders(request, body, by).then(shownDeciders) : undefined,
  ])
  const here = own.filter(({ customer }) => customer?.id === request.userId)
  const { clientId } = request.mayAct
  const isOfTicket = ({ ticket }: AuditRecord) => isSameTicket(ticket, body.ticketId)
  const mine = here.find(
    (each) => each.state === 'requested' && each.application === clientId && isOfTicket(each),
  )
  const refusals = refusalsIn(here, clientId, now())
  const refusal = refusals.find(({ isByCustomer }) => isByCustomer)
  const isRefused = refusals.some(({ record }) => isOfTicket(record))
  const mayBegin = emergency && permits.hasApprovers && !isRefused
  const isDue = own.some(isReviewDue)
  return {
    by,
    emergency: (mayBegin && !isDue) || undefined,
    isReviewDue: (mayBegin && isDue) || undefined,
    deciders,
    refused: refusal && { by: refusal.by, until: refusal.until },
    record: mine && shownRecord(mine, call),
  }
}

/**
 * By a button of the form to act, and by the API. `POST /permits`: the rule says which approvals it needs. 403
 * `access_denied` if the rule refuses, 409 `not_needed`, `already_requested`, `refused_lately` (with `Retry-After`)
 * or `no_approver`. 429 after 60 requests in an hour, whatever became of them.
 * `POST /permits/emergency`: the operator acts by `POST /impersonations` then. 403 `access_denied` if the rule
 * allows no emergency, 409 `not_needed`, `review_due` or `no_approver`.
 */
export const askingActions = [
  action('/permits', ACTING_ROLES, actForm, (call) => open(call), {
    after: ({ record }) => ({ to: recordPath(record.id), said: { key: 'askedForApproval' } }),
  }),
  action(
    '/permits/emergency',
    ACTING_ROLES,
    ({ settings }: PermitCall) => ({
      ...actEntries(settings),
      emergency: writtenText(MAX_REASON_LENGTH),
    }),
    (call) => open(call, call.body.emergency),
  ),
]

async function open(call: PermitCall & { readonly body: ActBody }, why?: string) {
  requirePermits(call)
  const record = await begin(call, await askFor(call, call.body), call.body, why)
  const needsSecond = record.needs.includes('second_person')
  const { knownApprovers } = call.records.who
  call.ctx.status = 201
  return {
    record: shownRecord(record, call),
    deciders: needsSecond ? shownDeciders(await knownApprovers(record)) : undefined,
  }
}

/** @param why it cannot wait, in an emergency */
function begin(call: PermitCall, { request }: AskedFor, body: ActBody, why?: string) {
  const permits = requirePermits(call)
  const kind = why === undefined ? 'requested' : 'emergency'
  return permits.open(kind, request, { ...body, why }, { ctx: call.ctx })
}
