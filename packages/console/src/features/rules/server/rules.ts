import { describeRule } from 'oidc-provider-impersonation/siblings'
import { readQuery } from '../../../web/http/query.ts'
import type { Call } from '../../../web/parts.ts'
import type { RulesAnswer } from './answers.ts'

/** `GET /rules` */
export async function showRules(call: Call): Promise<void> {
  readQuery(call.ctx, {})
  await call.limitPreviews(call.caller.id)
  call.ctx.body = {
    rules: describeRule(call.provider).map((description) => description ?? null),
  } satisfies RulesAnswer
}
