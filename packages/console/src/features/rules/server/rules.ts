import { describeRule, findAccount } from 'oidc-provider-impersonation/siblings'
import * as v from 'valibot'
import { oneOf } from '../../../kernel/input.ts'
import { ACTING_ROLES } from '../../../kernel/roles.ts'
import {
  type Foreseen,
  foresee,
  REASON_OF_QUESTION,
  readAsked,
} from '../../../web/acting/asked-for.ts'
import { orUnavailable, Problem } from '../../../web/http/problem.ts'
import { personId, textParameter } from '../../../web/http/query.ts'
import type { Call, WithQuery } from '../../../web/parts.ts'
import { findRole } from '../../../web/sign-in/roles.ts'

/** The question *May … act as …?*. It is asked if both people are named. */
export const QUESTION = {
  /** The account id. */
  operator: personId,
  /** The account id of the customer. */
  userId: personId,
  /** The client id of the application. */
  application: v.optional(textParameter(100)),
  access: v.optional(oneOf(['change', 'read'])),
  /** Without it, the example of a ticket. */
  ticketId: v.optional(textParameter(100)),
}

/** The ticket in the context if the question names none, and there is no example. */
const NO_TICKET = 'none'

export type RulesAnswer = Awaited<ReturnType<typeof showRules>>

/**
 * `GET /rules`: the rules in force, and the answer to the question. Nothing starts, and nothing is recorded.
 */
export async function showRules(call: WithQuery<typeof QUESTION>) {
  const { caller, limitPreviews, provider, query, settings } = call
  const question = { application: settings.applications[0]?.clientId, access: 'read', ...query }
  await limitPreviews(caller.id)
  // One that says nothing is `null`.
  const rules = describeRule(provider).map((description) => description ?? null)
  const { operator, ...asked } = question
  if (operator === undefined || asked.userId === undefined) return { rules, question }
  try {
    return { rules, question, mayAct: await mayAct(call, operator, asked) }
  } catch (error) {
    if (!(error instanceof Problem) || ![400, 404].includes(error.statusCode)) throw error
    return { rules, question, notAnswered: { error: error.error, why: error.message } }
  }
}

/**
 * Asks the rule whether an operator may act as a customer.
 *
 * @throws Problem 400 for a question that is not accepted, 404 for a customer who is not there
 */
async function mayAct(call: Call, operator: string, question: object): Promise<Foreseen> {
  const { durations, ticket } = call.settings
  const body = readAsked(call, {
    ticketId: ticket.example ?? NO_TICKET,
    reason: REASON_OF_QUESTION,
    // The longest time that an operator can choose.
    duration: durations.length > 0 ? Math.max(...durations) : undefined,
    ...question,
  })
  await assertMayAskAbout(call, body.userId)
  const asOperator = await actingAs(call, operator)
  return asOperator ? foresee(asOperator, body) : { verdict: 'refused', by: 'role' }
}

/** @throws Problem 404 for an auditor, who cannot search customers: this page would tell which there are */
async function assertMayAskAbout({ audit, caller, now }: Call, customer: string): Promise<void> {
  if (ACTING_ROLES.includes(caller.role)) return
  const { rows } = await audit.store.find({ customer }, { limit: 1, now: now() })
  if (rows.length > 0) return
  throw new Problem(404, 'user_not_found', 'the audit has nothing of a customer with this id')
}

/** The call as if the operator had made it; `undefined` for a person who may not act at all. */
async function actingAs(call: Call, id: string): Promise<Call | undefined> {
  const { provider, settings } = call
  const account = await orUnavailable('the operator cannot be looked up now', () =>
    findAccount(provider, id),
  )
  const role = account && (await findRole(account, settings))
  if (!role || !ACTING_ROLES.includes(role)) return undefined
  return { ...call, caller: { id, account, role } }
}
