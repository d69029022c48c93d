import { readActBody, requestFor } from '../console/asked-for.ts'
import type { Call } from '../parts.ts'
import type { PreviewAnswer } from './answers.ts'
import { approvalOf } from './approval.ts'

/** `POST /impersonations/preview` */
export async function preview(call: Call): Promise<void> {
  const body = await readActBody(call)
  await call.limitPreviews(call.caller.id)
  const asked = await requestFor(call, body)
  const { verdict, needs = [], emergency } = await call.preview(asked.request, call.ctx)
  const { permits } = call.settings
  const answer =
    verdict === 'needs' && permits
      ? { approval: await approvalOf(permits, { by: needs, emergency }, asked, body, call) }
      : {}
  call.ctx.body = { verdict, ...answer } satisfies PreviewAnswer
}
