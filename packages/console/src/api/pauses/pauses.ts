import { MAX_NOTE_LENGTH, present } from 'oidc-provider-impersonation-verify/format'
import { parseTextMember, readBody } from '../../http/json-body.ts'
import { notFound, orUnavailable, Problem } from '../../http/problem.ts'
import { parseQuery, textIn } from '../../http/query.ts'
import { pausedError } from '../../permits/pauses.ts'
import type { Pause } from '../../permits/permit.ts'
import { isAudited } from '../../sign-in/roles.ts'
import type { AccountCall } from '../account/call.ts'
import { isId } from '../ids.ts'
import type { Call } from '../parts.ts'
import { mayDecide, permitting, permittingCustomer } from '../permits/shown.ts'
import type { AccountPausesAnswer, PauseAnswer, PausesAnswer } from './answers.ts'

const MAX_CURSOR_LENGTH = 200

/** `GET /pauses` */
export async function listPauses(call: Call): Promise<void> {
  const { ctx, pauses, now } = call
  const before = textIn(parseQuery(ctx.querystring, 'before'), 'before', MAX_CURSOR_LENGTH)
  const page = await permitting(() => pauses.list({ before }))
  const seen = await Promise.all(page.pauses.map((pause) => seenBy(pause, call)))
  ctx.body = {
    pauses: seen.flatMap((pause) => pause ?? []),
    ...present({ next: page.next }),
    now: now(),
  } satisfies PausesAnswer
}

/** `GET /pauses/:id` */
export async function showPause(call: Call): Promise<void> {
  parseQuery(call.ctx.querystring)
  call.ctx.body = await requirePause(call)
}

/** `POST /pauses/:id/resume` */
export async function resume(call: Call): Promise<void> {
  const { ctx, caller, pauses } = call
  const note = parseTextMember(await readBody(ctx, 'note'), 'note', MAX_NOTE_LENGTH)
  const { id } = await requirePause(call)
  const lifted = await permitting(() => pauses.resume(id, { by: caller.id, note }))
  ctx.body = await seenBy(lifted, call)
}

/** `GET /pauses` of the account page */
export async function listOwnPauses({ ctx, caller, pauses }: AccountCall): Promise<void> {
  parseQuery(ctx.querystring)
  const found = await permittingCustomer(() => pauses.list({ customer: caller.id }))
  ctx.body = {
    pauses: found.pauses.map(({ id, operator, requestedAt: at }) => {
      return { id, at, operator: { id: operator.id, ...present({ name: operator.name }) } }
    }),
  } satisfies AccountPausesAnswer
}

/** What keeps the caller from starting as this customer. */
export async function findOwnPause(call: Call, customer: string): Promise<PauseAnswer | undefined> {
  const pause = await permitting(() => call.pauses.find(call.caller.id, customer))
  return pause && seenBy(pause, call)
}

/** @throws Problem 403 with the pause */
export async function assertNotPaused(call: Call, customer: string): Promise<void> {
  const pause = await findOwnPause(call, customer)
  if (!pause) return
  const { statusCode, error, message } = pausedError(pause)
  throw new Problem(statusCode, error, message, { more: { pause } })
}

async function requirePause(call: Call): Promise<PauseAnswer> {
  const id = call.param('id')
  const found = isId(id) ? await permitting(() => call.pauses.get(id)) : undefined
  const pause = found && (await seenBy(found, call))
  if (!pause) throw notFound('there is no such pause')
  return pause
}

/** The pause as the caller sees it; `undefined` where they see nothing of it. */
async function seenBy(pause: Pause, { caller, settings }: Call): Promise<PauseAnswer | undefined> {
  const { permits } = settings
  const isMine = pause.operator.id === caller.id
  // Nobody lifts their own.
  const approvers = isMine
    ? undefined
    : await orUnavailable('who can lift it cannot be looked up now', async () =>
        permits?.findApprovers(pause),
      )
  const mayLift = mayDecide({ permit: pause, approvers }, caller)
  const { note, resumed, ...rest } = pause
  const { note: found, ...lifted } = resumed ?? {}
  const mayRead = mayLift || (isAudited(caller.role) && !isMine)
  if (!isMine && !mayRead) return undefined
  return {
    ...rest,
    ...present({ note: mayRead ? note : undefined }),
    ...(resumed
      ? {
          resumed: { at: resumed.at, ...lifted, ...present({ note: mayRead ? found : undefined }) },
        }
      : {}),
    isMine,
    canResume: pause.state === 'paused' && mayLift,
  }
}
