import { hash } from 'node:crypto'
import { impersonationUrl } from 'oidc-provider-impersonation-browser'
import type { Read } from '../../../kernel/input.ts'
import { actEntries, askFor } from '../../../web/acting/asked-for.ts'
import type { ActBody, HandOver, RunningImpersonation } from '../../../web/answers.ts'
import { applicationName, nameIn } from '../../../web/applications.ts'
import { recordNow } from '../../../web/audit.ts'
import { checked } from '../../../web/pages/form-body.ts'
import type { Opening } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import { endAsCaller, runningImpersonations } from './running.ts'

/** The body: what is asked for, and whether it takes the place of what the caller runs in the application. */
export const actBody = ({ settings }: Call) => ({ ...actEntries(settings), instead: checked })

/** Issues a subject token, with which the application acts as the customer. */
export async function act(
  call: Call & { readonly body: Read<ReturnType<typeof actBody>> },
): Promise<HandOver> {
  const { instead, ...body } = call.body
  const inTheWay = instead ? await findInTheWay(call, body.application) : []
  const handOver = await issueHandOver(call, body)
  // After the issue, so that a refusal ends nothing.
  for (const { id } of inTheWay) await endAsCaller(call, id)
  return handOver
}

/** An application lets one impersonation act at a time, in one browser. */
export async function findInTheWay(
  call: Call,
  application: string | undefined,
): Promise<readonly RunningImpersonation[]> {
  const { caller, language, settings } = call
  const name = applicationName(settings.applications, application, language)
  const { running } = await runningImpersonations(call, { actor: caller.id })
  return running.filter((it) => it.isMine && it.application === name)
}

/** @param continues the impersonation of which this is the continuation */
export async function issueHandOver(
  call: Call,
  body: ActBody,
  continues?: string,
): Promise<HandOver> {
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
  return {
    id,
    subjectToken,
    expiresIn,
    url: application.url,
    handOver: application.handOver ?? 'fragment',
    customer: { id: customer.id, name: customer.name },
    application: { clientId: application.clientId, name: nameIn(application, language) },
  }
}

/** Leads into the application. The token is in a fragment or in a form, and never in a query. */
export function openingOf(
  { application, expiresIn, handOver, subjectToken, url }: HandOver,
  { caller, now }: Call,
): Opening {
  const { name } = application
  if (handOver === 'form')
    return { url, name, field: { name: 'impersonation', value: subjectToken } }
  const expiresAtMs = now() + expiresIn * 1000
  return { name, url: impersonationUrl(url, { subjectToken, actor: caller.id, expiresAtMs }) }
}

/** The customer may have objected while it was issued, or a lead paused the operator. */
async function assertStillNotPaused(call: Call, customer: string, id: string): Promise<void> {
  const pause = await call.gate.findPause(call, customer)
  if (!pause) return
  const cause = pause.customer ? 'user' : 'requested'
  await call.provider.impersonation.end(id, { by: { sub: pause.by.id }, cause })
  throw call.gate.pausedProblem(pause)
}
