import { hash } from 'node:crypto'
import { askFor, readActBody } from '../../../web/acting/asked-for.ts'
import type { ActBody, HandOver } from '../../../web/answers.ts'
import { nameIn } from '../../../web/applications.ts'
import { recordNow } from '../../../web/audit.ts'
import type { Call } from '../../../web/parts.ts'

/** `POST /impersonations` */
export async function act(call: Call): Promise<void> {
  await issueHandOver(call, await readActBody(call))
}

/** @param continues the impersonation of which this is the continuation */
export async function issueHandOver(call: Call, body: ActBody, continues?: string): Promise<void> {
  const { ctx, gate, issue, language } = call
  const asked = await askFor(call, body)
  const { application, customer } = asked
  const request = await gate.withPermitsReason(asked, call)
  const { subjectToken, expiresIn } = await issue(request, ctx, body.duration).catch(
    async (problem: unknown) => Promise.reject(await gate.withApproval(problem, asked, body, call)),
  )
  const id = hash('sha256', subjectToken, 'base64url')
  // With permits, the exchange asks again.
  if (!gate.hasPermits) await assertStillNotPaused(call, customer.id, id)
  if (continues !== undefined) {
    await recordNow(call, { event: 'support.continued', id, userId: customer.id, continues })
  }
  ctx.status = 201
  ctx.body = {
    id,
    subjectToken,
    expiresIn,
    url: application.url,
    handOver: application.handOver ?? 'fragment',
    customer: { id: customer.id, name: customer.name },
    application: { clientId: application.clientId, name: nameIn(application, language) },
  } satisfies HandOver
}

/** The customer may have objected while it was issued, or a lead paused the operator. */
async function assertStillNotPaused(call: Call, customer: string, id: string): Promise<void> {
  const pause = await call.gate.findPause(call, customer)
  if (!pause) return
  const cause = pause.customer ? 'user' : 'requested'
  await call.provider.impersonation.end(id, { by: { sub: pause.by.id }, cause })
  throw call.gate.pausedProblem(pause)
}
