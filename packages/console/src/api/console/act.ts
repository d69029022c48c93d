import { hash } from 'node:crypto'
import type { Call } from '../parts.ts'
import { assertNotPaused } from '../pauses/pauses.ts'
import { withApproval } from '../permits/approval.ts'
import { withPermitsReason } from '../permits/reason.ts'
import type { ActBody, HandOver } from './answers.ts'
import { askFor, readActBody } from './asked-for.ts'
import { recordNow } from './supervision.ts'

/** `POST /impersonations` */
export async function act(call: Call): Promise<void> {
  await handOver(call, await readActBody(call))
}

/** @param continues the impersonation of which this is the continuation */
export async function handOver(call: Call, body: ActBody, continues?: string): Promise<void> {
  const { ctx, issue } = call
  const asked = await askFor(call, body)
  const { application, customer } = asked
  const request = await withPermitsReason(asked, call)
  const { subjectToken, expiresIn } = await issue(request, ctx).catch(async (problem: unknown) =>
    Promise.reject(await withApproval(problem, asked, body, call)),
  )
  const id = hash('sha256', subjectToken, 'base64url')
  // With permits, the exchange asks again.
  if (!call.settings.permits) await assertStillNotPaused(call, customer.id, id)
  if (continues !== undefined) {
    await recordNow(call, { event: 'support.continued', id, subject: customer.id, continues })
  }
  ctx.status = 201
  ctx.body = {
    id,
    subjectToken,
    expiresIn,
    url: application.url,
    handOver: application.handOver ?? 'fragment',
    customer: { id: customer.id, name: customer.name },
    application: { clientId: application.clientId, name: application.name },
  } satisfies HandOver
}

/** The customer may have objected while it was issued. */
async function assertStillNotPaused(call: Call, customer: string, id: string): Promise<void> {
  try {
    await assertNotPaused(call, customer)
  } catch (problem) {
    await call.provider.impersonation.end(id, { by: { sub: customer }, cause: 'user' })
    throw problem
  }
}
