import { hash } from 'node:crypto'
import type { Need } from 'oidc-provider-impersonation'
import { present } from 'oidc-provider-impersonation-verify/format'
import type { Permit } from '../../../../records/record-at.ts'
import type { ActBody } from '../../../../web/answers.ts'
import { Problem } from '../../../../web/http/problem.ts'
import type { AskedFor } from '../../../../web/parts.ts'
import type { ConsolePermits } from '../options.ts'
import { isOfTicket } from '../refusals.ts'
import type { ApprovalAnswer } from './answers.ts'
import { findDeciders, type PermitCall, shownDeciders, shownPermit } from './shown.ts'

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
  const isPossible = emergency === true && permits.hasApprovers
  const [mine, deciders, isReviewDue, refusals] = await Promise.all([
    findMine(permits, facts),
    by.includes('second_person') ? findDeciders(permits, notYet(facts, by)) : undefined,
    isPossible && findReviewDue(permits, facts),
    permits.refusals(notYet(facts, by)),
  ])
  const refusal = refusals.find(({ isByCustomer }) => isByCustomer)
  const hasEmergency = isPossible && !refusals.some((each) => isOfTicket(each, facts.ticket))
  return {
    by,
    ...(hasEmergency ? (isReviewDue ? { isReviewDue } : { emergency }) : {}),
    ...(deciders && { deciders: shownDeciders(deciders) }),
    ...(refusal && { refused: { by: refusal.by, until: refusal.until } }),
    ...(mine && { permit: shownPermit({ permit: mine, approvers: [] }, call) }),
  }
}

type AllFacts = ReturnType<typeof factsOf>

/** What the operator has asked for already, and can still be decided. */
async function findMine(permits: ConsolePermits, facts: AllFacts): Promise<Permit | undefined> {
  const { customer, operator, application } = facts
  const { permits: open } = await permits.listPermits({ customer, operator, isOpen: true })
  return open.find((each) => each.state === 'requested' && each.application === application)
}

/** Whether the last emergency of the operator keeps from the next one. */
async function findReviewDue(permits: ConsolePermits, { operator }: AllFacts): Promise<boolean> {
  const found = await permits.listPermits({ operator, isReviewDue: true })
  return found.permits.length > 0
}

/** What is asked about before it is stored: the rules of a deployment may look at all of it. */
function notYet(facts: AllFacts, needs: readonly Need[]): Permit {
  const { customer, operator, ...rest } = facts
  return {
    ...rest,
    id: hash('sha256', JSON.stringify(facts), 'base64url'),
    ...{ kind: 'approval', state: 'requested', needs, said: [] },
    ...{ customer: { id: customer }, operator: { id: operator } },
    ...{ for: 0, requestedAt: Date.now() },
  }
}
