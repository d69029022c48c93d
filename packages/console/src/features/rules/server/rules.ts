import { describeRule } from 'oidc-provider-impersonation/siblings'
import * as v from 'valibot'
import { oneOf, type Read } from '../../../kernel/input.ts'
import { Problem } from '../../../web/http/problem.ts'
import { personId, textParameter } from '../../../web/http/query.ts'
import type { Call } from '../../../web/parts.ts'
import type { RulesAnswer } from './answers.ts'
import { mayAct } from './may-act.ts'

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

/** The rules in force, and the answer to the question. */
export async function showRules(
  call: Call & { readonly query: Read<typeof QUESTION> },
): Promise<RulesAnswer> {
  const { caller, limitPreviews, provider, query } = call
  await limitPreviews(caller.id)
  const rules = describeRule(provider).map((description) => description ?? null)
  const { operator, userId } = query
  if (operator === undefined || userId === undefined) return { rules, question: query }
  try {
    return { rules, question: query, mayAct: await mayAct(call, { ...query, operator, userId }) }
  } catch (error) {
    if (!(error instanceof Problem) || ![400, 404].includes(error.statusCode)) throw error
    return { rules, question: query, notAnswered: { error: error.error, why: error.message } }
  }
}
