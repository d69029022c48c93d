import { findAccount } from 'oidc-provider-impersonation/siblings'
import { isStop, MAX_NOTE_LENGTH, may, present } from 'oidc-provider-impersonation-verify/format'
import { isId } from '../../../../kernel/ids.ts'
import type { Read } from '../../../../kernel/input.ts'
import { MAX_ID_LENGTH } from '../../../../kernel/limits.ts'
import { readAll } from '../../../../kernel/pages.ts'
import { isAudited } from '../../../../kernel/roles.ts'
import { PERMITS_PER_READ } from '../../../../ledger/filters.ts'
import { allReadable } from '../../../../ledger/readable.ts'
import { stoppedError } from '../../../../records/in-force.ts'
import { stopOf } from '../../../../records/record-at.ts'
import { optionalNote, writtenText } from '../../../../web/http/json-body.ts'
import { notFound, orUnavailable, Problem } from '../../../../web/http/problem.ts'
import type { AccountPause, Pause, PauseAnswer } from '../../../../web/pause-answers.ts'
import { findRole } from '../../../../web/sign-in/roles.ts'
import { type CustomerPermitCall, type PermitCall, speakingOf } from './shown.ts'

/** How many of the newest rows tell whether somebody acted. */
const ROWS_PER_READ = 100
/** Lists the operators who may not start now, of those whom the caller is shown, the newest first. */
export async function findPauses(call: PermitCall): Promise<readonly PauseAnswer[]> {
  const found = await listStops(call, {})
  const seen = await Promise.all(found.map((pause) => seenBy(pause, call)))
  return seen.flatMap((pause) => pause ?? [])
}

export const PAUSE = {
  operator: writtenText(MAX_ID_LENGTH),
  note: optionalNote,
}

/** I17: one that cannot be read is left out here. It holds, and keeps from starting. */
export async function listStops(
  { records: { store, reading, now } }: Pick<PermitCall, 'records'>,
  filter: { readonly customer?: string; readonly operator?: string },
): Promise<readonly Pause[]> {
  const held = { ...filter, state: 'stopped', notOverAt: now() } as const
  return readAll(
    (before) => reading(() => store.permits(held, { before, limit: PERMITS_PER_READ })),
    ({ permits }) => allReadable(permits).filter(isStop).map(stopOf),
  )
}

/** Keeps an operator from starting as any customer. */
export async function pauseOperator(
  call: PermitCall & { readonly body: Read<typeof PAUSE> },
): Promise<PauseAnswer | undefined> {
  const { body, ctx, caller, records } = call
  const { operator, note } = body
  if (operator === caller.id) {
    throw new Problem(403, 'access_denied', 'you may not pause yourself')
  }
  if (!(await isOperator(operator, call))) {
    throw new Problem(404, 'user_not_found', 'there is no such operator')
  }
  const { stop, isNew } = await records.stop({ operator, by: caller.id, note })
  const shown = stop && (await seenBy(stopOf(stop), call))
  if (!isNew) {
    const message = 'the operator is paused already: lift that pause first'
    throw new Problem(409, 'conflict', message, { more: present({ pause: shown }) })
  }
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
  const { body, caller, records } = call
  const { id } = await showPause(call)
  const lifted = await records.say(id, 'lifted', { by: caller.id, note: body.note })
  return isStop(lifted) ? seenBy(stopOf(lifted), call) : undefined
}

/** Who may not act as the caller, who objected. */
export async function listOwnPauses(call: CustomerPermitCall): Promise<readonly AccountPause[]> {
  const found = await listStops(call, { customer: call.caller.id })
  return found.map(({ id, operator, requestedAt: at }) => {
    return { id, at, operator: { id: operator.id, ...present({ name: operator.name }) } }
  })
}

/** What keeps the caller from starting as this customer. */
export async function findOwnPause(
  call: PermitCall,
  customer: string,
): Promise<PauseAnswer | undefined> {
  const stop = await call.records.findStop(call.caller.id, customer)
  return stop && seenBy(stopOf(stop), call)
}

/** @throws Problem 403 with the pause */
export async function assertNotPaused(call: PermitCall, customer: string): Promise<void> {
  const pause = await findOwnPause(call, customer)
  if (pause) throw pausedProblem(pause)
}

/** What a request is refused with. */
export function pausedProblem(pause: PauseAnswer): Problem {
  const { statusCode, error, message } = stoppedError(pause)
  return new Problem(statusCode, error, message, { more: { pause } })
}

/** Shows the pause of the path. @throws Problem 404 if the caller is shown no such pause */
export async function showPause(call: PermitCall): Promise<PauseAnswer> {
  const id = call.param('id')
  const found = isId(id) ? await call.records.find(id) : undefined
  const pause = isStop(found) ? await seenBy(stopOf(found), call) : undefined
  if (!pause) throw notFound('there is no such pause')
  return pause
}

/** The pause as the caller sees it; `undefined` where they see nothing of it. */
async function seenBy(
  pause: Pause,
  { caller, records, now }: PermitCall,
): Promise<PauseAnswer | undefined> {
  const isMine = pause.operator.id === caller.id
  // Nobody lifts their own.
  const approvers = isMine
    ? undefined
    : await orUnavailable('who can lift it cannot be looked up now', () =>
        records.who.approvers(pause),
      )
  const person = speakingOf({ approvers: isMine ? [] : approvers }, caller)
  const mayLift =
    typeof may({ ...pause, state: 'stopped', said: [] }, 'lifted', person, now()) === 'object'
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
