import { MAX_REASON_LENGTH, present } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { exactly, type Read, readBy } from '../../../kernel/input.ts'
import { actEntries } from '../../../web/acting/asked-for.ts'
import { type Foreseen, foresee } from '../../../web/acting/foresee.ts'
import type { CustomerAnswer, RunningImpersonation } from '../../../web/answers.ts'
import { invalid } from '../../../web/http/problem.ts'
import { personId, textParameter } from '../../../web/http/query.ts'
import type { Call } from '../../../web/parts.ts'
import type { RecordAnswer } from '../../../web/record-answer.ts'
import { findInTheWay } from './act.ts'
import { findCustomer } from './customers.ts'
import { runningImpersonations } from './running.ts'

const typed = v.optional(textParameter(2 * MAX_REASON_LENGTH))

/** What a link says of the form, such as one of a ticket system. */
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

/** The reason in the context of the question, as long as nobody has typed another. */
const REASON = 'a question beforehand'

/** `GET /act`: operator, lead. The form to act as a customer. Nothing starts. */
export interface ActPageAnswer extends Partial<Foreseen> {
  /** Absent if the link names nobody. */
  readonly customer?: CustomerAnswer
  readonly draft: Draft
  /** Who acts as the customer now. */
  readonly running: readonly RunningImpersonation[]
  /** What the caller runs in the application: it ends if this begins. */
  readonly inTheWay: readonly RunningImpersonation[]
  /** What keeps the caller from starting as the customer. */
  readonly stop?: RecordAnswer
}

/** What stands in the form. */
export interface Draft {
  readonly ticket: string
  readonly reason: string
  readonly application: string
  readonly access: 'change' | 'read'
  /** In seconds; absent without a choice. */
  readonly duration?: number
}

/** Shows the form, filled in as the link says, with what the rule says of it. */
export async function showAct(
  call: Call & { readonly query: Read<typeof ACT_LINK> },
): Promise<ActPageAnswer> {
  const { gate, query } = call
  const draft = draftOf(call)
  if (query.user === undefined) return { draft, running: [], inTheWay: [] }
  const customer = await findCustomer(call, query.user)
  const [{ running }, inTheWay, stop] = await Promise.all([
    runningImpersonations(call, { userId: customer.id }),
    findInTheWay(call, draft.application),
    gate.findStop(call, customer.id),
  ])
  const isKept = customer.protected !== undefined || stop !== undefined
  const foreseen = isKept ? undefined : await foreseeDraft(call, customer.id, draft)
  return { customer, draft, running, inTheWay, ...present({ stop }), ...foreseen }
}

/** The first application and the middle duration are chosen, if the link names none that there is. */
function draftOf({
  query,
  settings: { applications, durations },
}: Call & { readonly query: Read<typeof ACT_LINK> }): Draft {
  const { ticket = '', reason = '' } = query
  const application =
    applications.find(({ clientId }) => clientId === query.application) ?? applications[0]
  const duration =
    durations.find((seconds) => `${seconds}` === query.duration) ??
    durations[Math.floor((durations.length - 1) / 2)]
  const canChange = application?.scopes.change !== undefined && query.access === 'change'
  return {
    ...{ ticket, reason, application: application?.clientId ?? '' },
    access: canChange ? 'change' : 'read',
    ...present({ duration }),
  }
}

/** Asks the rule, once there is a ticket. If it cannot be asked, nothing is foreseen. */
async function foreseeDraft(
  call: Call,
  userId: string,
  { ticket: ticketId, reason, ...rest }: Draft,
): Promise<Foreseen | undefined> {
  try {
    const given = { userId, ticketId, reason: reason || REASON, ...rest }
    const body = readBy(exactly(actEntries(call.settings)), given, invalid)
    await call.limitPreviews(call.caller.id)
    return await foresee(call, body)
  } catch {
    return undefined
  }
}
