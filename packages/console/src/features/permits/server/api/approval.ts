import { hash } from 'node:crypto'
import type { Need } from 'oidc-provider-impersonation'
import {
  type AuditRecord,
  isReviewDue,
  isSameTicket,
  MAX_REASON_LENGTH,
} from 'oidc-provider-impersonation-verify/format'
import { ACTING_ROLES } from '../../../../kernel/roles.ts'
import type { Permit } from '../../../../records/record-at.ts'
import { actEntries, actForm, askFor } from '../../../../web/acting/asked-for.ts'
import type { ActBody } from '../../../../web/answers.ts'
import { writtenText } from '../../../../web/http/json-body.ts'
import { orUnavailable, Problem } from '../../../../web/http/problem.ts'
import { recordPath } from '../../../../web/kit/paths.ts'
import { linesFor } from '../../../../web/pages/table.ts'
import type { AskedFor } from '../../../../web/parts.ts'
import type { ConsolePermits, PermitRequest } from '../options.ts'
import { isOfTicket } from '../refusals.ts'
import { findRecords, findStored } from './read.ts'
import { type PermitCall, requirePermits, shownDeciders, shownRecord } from './shown.ts'

const { action } = linesFor<PermitCall>()

/** What a rule needs before a start. */
interface MissingApproval {
  readonly by: readonly Need[]
  readonly emergency?: true | undefined
}

/** What an operator can do about an approval that is missing: also as `approval` of 403 `approval_required`. */
export type Approval = Awaited<ReturnType<typeof approvalOf>>

/** What an operator asks an approval for. */
export function factsOf(
  { request }: AskedFor,
  { ticketId: ticket, reason, duration }: ActBody,
  { caller }: PermitCall,
) {
  const { userId: customer, mayAct, resource, scope } = request
  const { clientId: application } = mayAct
  return { customer, operator: caller.id, application, resource, scope, ticket, reason, duration }
}

/** The refusal, with what the operator can do about it. Any other problem stays as it is. */
export async function withApproval(
  problem: unknown,
  asked: AskedFor,
  body: ActBody,
  call: PermitCall,
): Promise<unknown> {
  const { permits } = call
  if (!(problem instanceof Problem) || problem.error !== 'approval_required') return problem
  const { statusCode, error, message } = problem
  const { approval: needed } = problem.more as { readonly approval: MissingApproval }
  // Without permits, the pages cannot do anything about it.
  const approval = permits && (await approvalOf(permits, needed, asked, body, call))
  return new Problem(statusCode, error, message, { more: { approval } })
}

/** What the rule needs, and what the operator can do about it. */
export async function approvalOf(
  permits: ConsolePermits,
  { by, emergency }: MissingApproval,
  asked: AskedFor,
  body: ActBody,
  call: PermitCall,
) {
  const facts = factsOf(asked, body, call)
  const about = notYet(facts, by)
  const [own, refusals, deciders] = await Promise.all([
    findRecords(call, { operator: facts.operator, notOverAt: call.now() }),
    permits.refusals(about),
    by.includes('second_person') ? findDeciders(permits, about) : undefined,
  ])
  const isOfFacts = ({ customer, application, ticket }: AuditRecord) =>
    customer?.id === facts.customer &&
    application === facts.application &&
    isSameTicket(ticket, facts.ticket)
  const mine = own.find((each) => each.state === 'requested' && isOfFacts(each))
  const refusal = refusals.find(({ isByCustomer }) => isByCustomer)
  const isRefused = refusals.some((each) => isOfTicket(each, facts.ticket))
  const mayBegin = emergency && permits.hasApprovers && !isRefused
  const isDue = own.some(isReviewDue)
  return {
    by,
    /** Whether `POST /permits/emergency` is possible: not if the same ticket was refused. */
    emergency: (mayBegin && !isDue) || undefined,
    /** Whether it would be, once the caller's last emergency is reviewed. */
    isReviewDue: (mayBegin && isDue) || undefined,
    /** If a second person is needed. */
    deciders,
    /** Who refused it, and until when it cannot be asked again. In milliseconds since the epoch. */
    refused: refusal && { by: refusal.by, until: refusal.until },
    /** What the caller has asked for already, and can still be decided. */
    record: mine && shownRecord(mine, call, []),
  }
}

/** Says who can decide. */
function findDeciders(permits: ConsolePermits, permit: Permit) {
  return orUnavailable('who can decide cannot be looked up now', async () =>
    shownDeciders(await permits.records.who.approvers(permit)),
  )
}

/** What is asked about before it is stored: the rules of a deployment may look at all of it. */
function notYet(facts: ReturnType<typeof factsOf>, needs: readonly Need[]): Permit {
  const { customer, operator, ...rest } = facts
  return {
    ...rest,
    id: hash('sha256', JSON.stringify(facts), 'base64url'),
    kind: 'approval',
    state: 'requested',
    needs,
    said: [],
    customer: { id: customer },
    operator: { id: operator },
    for: 0,
    requestedAt: Date.now(),
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
  action(
    '/permits',
    ACTING_ROLES,
    actForm,
    (call) => {
      const permits = requirePermits(call)
      return open(permits, call, (request) => permits.request(request, { ctx: call.ctx }))
    },
    {
      after: ({ record }) => ({ to: recordPath(record.id), said: { key: 'askedForApproval' } }),
    },
  ),
  action(
    '/permits/emergency',
    ACTING_ROLES,
    ({ settings }: PermitCall) => ({
      ...actEntries(settings),
      emergency: writtenText(MAX_REASON_LENGTH),
    }),
    (call) => {
      const permits = requirePermits(call)
      const { emergency: why } = call.body
      return open(permits, call, (request) =>
        permits.emergency({ ...request, why }, { ctx: call.ctx }),
      )
    },
  ),
]

async function open(
  permits: ConsolePermits,
  call: PermitCall & { readonly body: ActBody },
  begin: (request: PermitRequest) => Promise<Permit>,
) {
  const found = await askFor(call, call.body)
  const permit = await begin({ ...factsOf(found, call.body, call), context: found.request.context })
  const needsSecond = permit.needs.includes('second_person')
  const deciders = await findDeciders(permits, permit)
  call.ctx.status = 201
  return {
    record: shownRecord(await findStored(call, permit), call, []),
    deciders: needsSecond ? deciders : undefined,
  }
}
