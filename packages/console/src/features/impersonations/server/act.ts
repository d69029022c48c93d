import { hash } from 'node:crypto'
import { impersonationUrl } from 'oidc-provider-impersonation-browser'
import { MAX_REASON_LENGTH, present } from 'oidc-provider-impersonation-verify/format'
import type { Read } from '../../../kernel/input.ts'
import { actForm, askFor } from '../../../web/acting/asked-for.ts'
import type { ActBody, HandOver, RunningImpersonation } from '../../../web/answers.ts'
import { nameIn } from '../../../web/applications.ts'
import { recordNow } from '../../../web/audit.ts'
import { writtenText } from '../../../web/http/json-body.ts'
import type { Opening } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import { endAsCaller, runningImpersonations } from './running.ts'

/** The members of the form, with the reason why it cannot wait for an approval. */
export const emergencyForm = ({ settings }: Call) => ({
  ...actForm({ settings }),
  emergency: writtenText(MAX_REASON_LENGTH),
})

/**
 * Issues a subject token, with which the application acts as the customer.
 *
 * @param emergency why it cannot wait for the approval that the rule asks for
 */
export async function act(
  call: Call & { readonly body: Read<ReturnType<typeof actForm>> },
  emergency?: string,
): Promise<HandOver> {
  const { instead, emergency: _, ...body } = call.body
  const inTheWay = instead ? await findInTheWay(call, body.application) : []
  const handOver = await issueHandOver(call, body, present({ emergency }))
  // After the issue, so that a refusal ends nothing.
  for (const { id } of inTheWay) await endAsCaller(call, id)
  return handOver
}

export function actInEmergency(
  call: Call & { readonly body: Read<ReturnType<typeof emergencyForm>> },
): Promise<HandOver> {
  return act(call, call.body.emergency)
}

/** An application lets one impersonation act at a time, in one browser. */
export async function findInTheWay(
  call: Call,
  application: string,
): Promise<readonly RunningImpersonation[]> {
  const { running } = await runningImpersonations(call, { actor: call.caller.id })
  return running.filter((it) => it.isMine && it.application === application)
}

interface How {
  /** The impersonation of which this is the continuation. */
  readonly continues?: string
  /** Why it cannot wait for an approval. */
  readonly emergency?: string
}

export async function issueHandOver(
  call: Call,
  body: ActBody,
  { continues, emergency }: How = {},
): Promise<HandOver> {
  const { ctx, gate, issue, language } = call
  const asked = await askFor(call, body)
  const { application, customer } = asked
  if (emergency !== undefined) await gate.beginEmergency(call, asked, body, emergency)
  const request = await gate.withPermitsReason(asked, call)
  const { subjectToken, expiresIn } = await issue(request, ctx, body.duration).catch(
    async (problem: unknown) => Promise.reject(await gate.withApproval(problem, asked, body, call)),
  )
  const id = hash('sha256', subjectToken, 'base64url')
  // With permits, the exchange asks again.
  if (!gate.hasPermits) await assertStillNotStopped(call, customer.id, id)
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
    name: nameIn(application, language),
  }
}

/** Leads into the application. The token is in a fragment or in a form, and never in a query. */
export function openingOf(
  { expiresIn, handOver, name, subjectToken, url }: HandOver,
  { caller, now }: Call,
): Opening {
  if (handOver === 'form')
    return { url, name, field: { name: 'impersonation', value: subjectToken } }
  const expiresAtMs = now() + expiresIn * 1000
  return { name, url: impersonationUrl(url, { subjectToken, actor: caller.id, expiresAtMs }) }
}

/** The customer may have objected while it was issued, or a lead stopped the operator. */
async function assertStillNotStopped(call: Call, customer: string, id: string): Promise<void> {
  const stop = await call.gate.findStop(call, customer)
  if (!stop) return
  const cause = stop.customer ? 'user' : 'requested'
  await call.provider.impersonation.end(id, { by: { sub: stop.by?.id ?? '' }, cause })
  throw call.gate.stoppedProblem(stop)
}
