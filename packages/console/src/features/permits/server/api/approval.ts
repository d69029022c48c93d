import { hash } from 'node:crypto'
import type { Need } from 'oidc-provider-impersonation'
import {
  type AuditRecord,
  isReviewDue,
  isSameTicket,
  present,
} from 'oidc-provider-impersonation-verify/format'
import type { Permit } from '../../../../records/record-at.ts'
import type { ActBody } from '../../../../web/answers.ts'
import { orUnavailable, Problem } from '../../../../web/http/problem.ts'
import type { AskedFor } from '../../../../web/parts.ts'
import type { ConsolePermits } from '../options.ts'
import { isOfTicket } from '../refusals.ts'
import type { ApprovalAnswer, DecidersAnswer } from './answers.ts'
import { findRecords } from './read.ts'
import { type PermitCall, shownDeciders, shownRecord } from './shown.ts'

/** What an operator asks an approval for. */
export function factsOf(
  { request }: AskedFor,
  { ticketId, reason, duration }: ActBody,
  { caller }: PermitCall,
) {
  const { userId: customer, mayAct, resource, scope } = request
  const facts = { customer, operator: caller.id, application: mayAct.clientId, resource, scope }
  return { ...facts, ticket: ticketId, reason, ...present({ duration }) }
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
  // Without permits, the pages cannot do anything about it.
  if (!permits) return new Problem(statusCode, error, message)
  const needed = (problem.more as ApprovalAnswer).approval
  const approval = await approvalOf(permits, needed, asked, body, call)
  return new Problem(statusCode, error, message, {
    more: { approval } satisfies ApprovalAnswer,
  })
}

/** What the rule needs, and what the operator can do about it. */
export async function approvalOf(
  permits: ConsolePermits,
  { by, emergency }: { readonly by: readonly Need[]; readonly emergency?: true | undefined },
  asked: AskedFor,
  body: ActBody,
  call: PermitCall,
): Promise<ApprovalAnswer['approval']> {
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
  const isDue = own.some(isReviewDue)
  return {
    by,
    ...(emergency &&
      permits.hasApprovers &&
      !isRefused &&
      (isDue ? { isReviewDue: isDue } : { emergency })),
    ...(deciders && { deciders }),
    ...(refusal && { refused: { by: refusal.by, until: refusal.until } }),
    ...(mine && { record: shownRecord(mine, call, []) }),
  }
}

/** Says who can decide. */
export function findDeciders(permits: ConsolePermits, permit: Permit): Promise<DecidersAnswer> {
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
    ...{ kind: 'approval', state: 'requested', needs, said: [] },
    ...{ customer: { id: customer }, operator: { id: operator } },
    ...{ for: 0, requestedAt: Date.now() },
  }
}
