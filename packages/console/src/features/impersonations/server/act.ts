import { hash } from 'node:crypto'
import { impersonationUrl } from 'oidc-provider-impersonation-browser'
import { MAX_REASON_LENGTH } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import {
  type actForm,
  askFor,
  findCustomer,
  foresee,
  REASON_OF_QUESTION,
  readAsked,
} from '../../../web/acting/asked-for.ts'
import type { ActBody } from '../../../web/answers.ts'
import { nameIn } from '../../../web/applications.ts'
import { recordNow } from '../../../web/audit.ts'
import { invalid } from '../../../web/http/problem.ts'
import { personId, textParameter } from '../../../web/http/query.ts'
import type { Opening } from '../../../web/pages/table.ts'
import type { Call, WithBody, WithQuery } from '../../../web/parts.ts'
import { endAsCaller, runningImpersonations } from './running.ts'

const typed = v.optional(textParameter(2 * MAX_REASON_LENGTH))

/** The parts of the form that a link fills in, such as one of a ticket system. */
export const ACT_LINK = {
  /** The account id of the customer. */
  user: personId,
  ticket: typed,
  reason: typed,
  /** The client id of the application. */
  application: typed,
  access: typed,
  duration: typed,
}

export type ActPageAnswer = Awaited<ReturnType<typeof showAct>>

/** `GET /act`: the form to act as a customer, filled in as the link says. Nothing starts. */
export async function showAct(call: WithQuery<typeof ACT_LINK>) {
  const { gate, query } = call
  const draft = draftOf(call)
  if (query.user === undefined) return { draft }
  const customer = await findCustomer(call, query.user)
  const [{ running }, inTheWay, stop, foreseen] = await Promise.all([
    runningImpersonations(call, { userId: customer.id }),
    findInTheWay(call, draft.application),
    gate.findStop(call, customer.id),
    foreseeDraft(call, customer.id, draft),
  ])
  return { customer, draft, running, inTheWay, stop, ...foreseen }
}

/** The first application and the middle duration are chosen, if the link names none that there is. */
function draftOf({ query, settings: { applications, durations } }: WithQuery<typeof ACT_LINK>) {
  const { ticket = '', reason = '' } = query
  const application =
    applications.find(({ clientId }) => clientId === query.application) ?? applications[0]
  const canChange = application?.scopes.change !== undefined && query.access === 'change'
  return {
    ticket,
    reason,
    application: application?.clientId ?? '',
    access: canChange ? ('change' as const) : ('read' as const),
    /** In seconds; absent without a choice. */
    duration:
      durations.find((seconds) => `${seconds}` === query.duration) ??
      durations[Math.floor((durations.length - 1) / 2)],
  }
}

/** Asks the rule, once there is a ticket. If it cannot be asked, nothing is foreseen. */
async function foreseeDraft(
  call: Call,
  userId: string,
  { ticket: ticketId, reason: typed, ...rest }: ReturnType<typeof draftOf>,
) {
  try {
    const reason = typed || REASON_OF_QUESTION
    const body = readAsked(call, { userId, ticketId, reason, ...rest })
    await call.limitPreviews(call.caller.id)
    return await foresee(call, body)
  } catch {
    return undefined
  }
}

/**
 * `POST /impersonations` issues a subject token, with which the application acts as the customer. 403
 * `access_denied` for a protected customer, `own_account` for the operator's own, `stopped` with the stop as
 * `record`. 404 `user_not_found`. With `isEmergency`, it begins without the approval that the rule asks for.
 */
export async function act(call: WithBody<ReturnType<typeof actForm>>) {
  const { instead, isEmergency, emergency, ...body } = call.body
  if (isEmergency && emergency === undefined)
    throw invalid('emergency is required: why it cannot wait')
  const inTheWay = instead ? await findInTheWay(call, body.application) : []
  const handOver = await issueHandOver(call, body, { emergency: isEmergency && emergency })
  // After the issue, so that a refusal ends nothing.
  for (const { id } of inTheWay) await endAsCaller(call, id)
  return handOver
}

/** An application lets one impersonation act at a time, in one browser. */
async function findInTheWay(call: Call, application: string) {
  const { running } = await runningImpersonations(call, { actor: call.caller.id })
  return running.filter((it) => it.isMine && it.application === application)
}

export type HandOver = Awaited<ReturnType<typeof issueHandOver>>

/**
 * @param how.continues the impersonation of which this is the continuation
 * @param how.emergency why it cannot wait for an approval
 */
export async function issueHandOver(
  call: Call,
  body: ActBody,
  how: { readonly continues?: string; readonly emergency?: string | undefined },
) {
  const { ctx, gate, language } = call
  const { continues, emergency } = how
  const asked = await askFor(call, body)
  const { application, customer } = asked
  const { subjectToken, expiresIn } = await gate.issue(call, asked, body, emergency)
  const id = hash('sha256', subjectToken, 'base64url')
  // The customer may have objected while it was issued, or a lead stopped the operator. With permits, the
  // exchange asks again.
  const stop = gate.hasPermits ? undefined : await gate.findStop(call, customer.id)
  if (stop) {
    const cause = stop.customer ? 'user' : 'requested'
    await call.provider.impersonation.end(id, { by: { sub: stop.by?.id ?? '' }, cause })
    throw gate.stoppedProblem(stop)
  }
  if (continues !== undefined) {
    await recordNow(call, { event: 'support.continued', id, userId: customer.id, continues })
  }
  ctx.status = 201
  return {
    id,
    subjectToken,
    /** Seconds until it is worth nothing. */
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
