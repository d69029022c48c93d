import { readActBody, requestFor } from '../console/asked-for.ts'
import { operatorLimit } from '../operator-limit.ts'
import type { Call } from '../parts.ts'
import type { PreviewAnswer } from './answers.ts'
import { approvalOf } from './approval.ts'

const MAX_PREVIEWS = 60
const MINUTE_S = 60

/** `POST /impersonations/preview` */
export function preview(): (call: Call) => Promise<void> {
  const limit = operatorLimit(
    MAX_PREVIEWS,
    MINUTE_S,
    (operator, seconds) =>
      `support console: ${operator} asks the rule too often: the next question in ${seconds} s`,
  )
  return async (call) => {
    const body = await readActBody(call)
    await limit(call.caller.id)
    const asked = await requestFor(call, body)
    const { verdict, needs = [], emergency } = await call.preview(asked.request, call.ctx)
    const { permits } = call.settings
    const answer =
      verdict === 'needs' && permits
        ? { approval: await approvalOf(permits, { by: needs, emergency }, asked, body, call) }
        : {}
    call.ctx.body = { verdict, ...answer } satisfies PreviewAnswer
  }
}
