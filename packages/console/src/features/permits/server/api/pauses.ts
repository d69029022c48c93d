import { findAccount } from 'oidc-provider-impersonation/siblings'
import { MAX_NOTE_LENGTH, present, reasonOf } from 'oidc-provider-impersonation-verify/format'
import { isId } from '../../../../kernel/ids.ts'
import type { Read } from '../../../../kernel/input.ts'
import { MAX_ID_LENGTH } from '../../../../kernel/limits.ts'
import { log } from '../../../../kernel/log-line.ts'
import { readAll } from '../../../../kernel/pages.ts'
import { isAudited } from '../../../../kernel/roles.ts'
import { optionalNote, writtenText } from '../../../../web/http/json-body.ts'
import { notFound, orUnavailable, Problem } from '../../../../web/http/problem.ts'
import type { AccountPause, Pause, PauseAnswer } from '../../../../web/pause-answers.ts'
import { findRole } from '../../../../web/sign-in/roles.ts'
import { END_TIMEOUT_MS, endUnbegun } from '../ends.ts'
import { pausedError } from '../pauses.ts'
import { type CustomerPermitCall, mayDecide, type PermitCall } from './shown.ts'

/** How many of the newest rows tell whether somebody acted. */
const ROWS_PER_READ = 100
/** Lists the operators who may not start now, of those whom the caller is shown, the newest first. */
export async function findPauses(call: PermitCall): Promise<readonly PauseAnswer[]> {
  const found = await readAll(
    (before) => call.pauses.list(present({ before })),
    (page) => page.pauses,
  )
  const seen = await Promise.all(found.map((pause) => seenBy(pause, call)))
  return seen.flatMap((pause) => pause ?? [])
}

export const PAUSE = {
  operator: writtenText(MAX_ID_LENGTH),
  note: optionalNote,
}

/** Keeps an operator from starting as any customer. */
export async function pauseOperator(
  call: PermitCall & { readonly body: Read<typeof PAUSE> },
): Promise<PauseAnswer | undefined> {
  const { body, ctx, caller, pauses, provider } = call
  const { operator, note } = body
  if (operator === caller.id) {
    throw new Problem(403, 'access_denied', 'you may not pause yourself')
  }
  if (!(await isOperator(operator, call))) {
    throw new Problem(404, 'user_not_found', 'there is no such operator')
  }
  const { pause, isNew } = await pauses.hold({ operator, by: caller.id, note })
  const shown = pause && (await seenBy(pause, call))
  if (!isNew) {
    const message = 'the operator is paused already: lift that pause first'
    throw new Problem(409, 'conflict', message, { more: present({ pause: shown }) })
  }
  await endUnbegun(provider, operator, caller.id, END_TIMEOUT_MS).catch((error: unknown) =>
    log(`what a paused operator had not begun is not ended: ${reasonOf(error)}`),
  )
  ctx.status = 201
  return shown
}

/**
 * Whether the deployment gives an account a role, or the account acted as a customer already: another backend may let
 * people act who have no role here.
 */
async function isOperator(id: string, { audit, provider, settings, now }: PermitCall) {
  const account = await findAccount(provider, id)
  if (!account) return false
  if ((await findRole(account, settings)) !== undefined) return true
  const { rows } = await audit.store.find({ operator: id }, { limit: ROWS_PER_READ, now: now() })
  // A request that was refused can come from anybody.
  return rows.some(({ askedAt, startedAt }) => (startedAt ?? askedAt) !== undefined)
}

export const LIFT = { note: writtenText(MAX_NOTE_LENGTH) }

/** Lifts a pause. */
export async function resume(
  call: PermitCall & { readonly body: Read<typeof LIFT> },
): Promise<PauseAnswer | undefined> {
  const { body, caller, pauses } = call
  const { id } = await showPause(call)
  return seenBy(await pauses.resume(id, { by: caller.id, note: body.note }), call)
}

/** Who may not act as the caller, who objected. */
export async function listOwnPauses({
  caller,
  pauses,
}: CustomerPermitCall): Promise<readonly AccountPause[]> {
  const found = await pauses.list({ customer: caller.id })
  return found.pauses.map(({ id, operator, requestedAt: at }) => {
    return { id, at, operator: { id: operator.id, ...present({ name: operator.name }) } }
  })
}

/** What keeps the caller from starting as this customer. */
export async function findOwnPause(
  call: PermitCall,
  customer: string,
): Promise<PauseAnswer | undefined> {
  const pause = await call.pauses.find(call.caller.id, customer)
  return pause && seenBy(pause, call)
}

/** @throws Problem 403 with the pause */
export async function assertNotPaused(call: PermitCall, customer: string): Promise<void> {
  const pause = await findOwnPause(call, customer)
  if (pause) throw pausedProblem(pause)
}

/** What a request is refused with. */
export function pausedProblem(pause: PauseAnswer): Problem {
  const { statusCode, error, message } = pausedError(pause)
  return new Problem(statusCode, error, message, { more: { pause } })
}

/** Shows the pause of the path. @throws Problem 404 if the caller is shown no such pause */
export async function showPause(call: PermitCall): Promise<PauseAnswer> {
  const id = call.param('id')
  const found = isId(id) ? await call.pauses.get(id) : undefined
  const pause = found && (await seenBy(found, call))
  if (!pause) throw notFound('there is no such pause')
  return pause
}

/** The pause as the caller sees it; `undefined` where they see nothing of it. */
async function seenBy(
  pause: Pause,
  { caller, permits }: PermitCall,
): Promise<PauseAnswer | undefined> {
  const isMine = pause.operator.id === caller.id
  // Nobody lifts their own.
  const approvers = isMine
    ? undefined
    : await orUnavailable('who can lift it cannot be looked up now', () =>
        permits?.findApprovers(pause),
      )
  const mayLift = mayDecide({ permit: pause, approvers }, caller)
  const { note, said, ...rest } = pause
  const mayRead = mayLift || (isAudited(caller.role) && !isMine)
  if (!isMine && !mayRead) return undefined
  return {
    ...rest,
    ...present({ note: mayRead ? note : undefined }),
    said: mayRead ? said : said.map(({ note: _, ...each }) => each),
    isMine,
    canResume: pause.state === 'stopped' && mayLift,
  }
}
