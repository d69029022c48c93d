import { describeRule } from 'oidc-provider-impersonation/siblings'
import { Problem } from '../../../web/http/problem.ts'
import type { Call } from '../../../web/parts.ts'
import type { RulesAnswer } from './answers.ts'
import { mayAct, type Question } from './may-act.ts'

/** The rules in force, and the answer to the question. */
export async function showRules(call: Call & { readonly query: Question }): Promise<RulesAnswer> {
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
