import { findAccount } from 'oidc-provider-impersonation/siblings'
import { type AuditRow, outcomeOf } from 'oidc-provider-impersonation-verify/format'
import { MAX_ID_LENGTH } from '../../kernel/limits.ts'
import { settle, waitForCapacity } from '../../web/audit.ts'
import { optionalNote, writtenText } from '../../web/http/json-body.ts'
import { Problem } from '../../web/http/problem.ts'
import { operatorLimit } from '../../web/operator-limit.ts'
import { notYours, OWN_ID, ownId } from '../../web/own-id.ts'
import type { WithBody } from '../../web/parts.ts'
import { findRole } from '../../web/sign-in/roles.ts'
import { endedInTime } from '../ends.ts'
import { type CustomerRecordCall, type RecordCall, shownRecord } from './shown.ts'

/** The number of the newest rows that tell whether somebody acted. */
const ROWS_PER_READ = 100
/** Requests of a customer in an hour. Each objection is an alarm that people look at. */
const MAX_IN_AN_HOUR = 20
/** The longest time since a start for which an objection stops the operator, in milliseconds. */
const RECENT_MS = 30 * 86_400_000

export const STOP = { operator: writtenText(MAX_ID_LENGTH), note: optionalNote }

/** `POST /stops`: lead. Ends what an operator runs, and keeps them from starting as any customer. 201, or 200 if they are. */
export async function stopOperator(call: WithBody<typeof STOP, RecordCall>) {
  const { body, ctx, caller, records } = call
  const { operator, note } = body
  if (operator === caller.id) throw new Problem(403, 'access_denied', 'you may not stop yourself')
  if (!(await isOperator(operator, call))) {
    throw new Problem(404, 'user_not_found', 'there is no such operator')
  }
  const { stop, isNew } = await records.stop({ operator, by: caller.id, note })
  // A stop that holds ends what runs once more.
  ctx.status = isNew ? 201 : 200
  return stop && shownRecord(stop, call, ['lead'])
}

/**
 * Checks whether the deployment gives an account a role, or the account acted as a customer already: another backend may let
 * people act who have no role here.
 */
async function isOperator(id: string, { audit, provider, settings, now }: RecordCall) {
  const account = await findAccount(provider, id)
  if (!account) return false
  if ((await findRole(account, settings)) !== undefined) return true
  const { rows } = await audit.store.find({ operator: id }, { limit: ROWS_PER_READ, now: now() })
  // A request that was refused can come from anybody.
  return rows.some(({ askedAt, startedAt }) => (startedAt ?? askedAt) !== undefined)
}

export const OBJECTION = { ...OWN_ID, note: optionalNote }

/**
 * `POST /objection` with `{ id, note? }`: *I did not ask for this*. 404 `not_found` if it is not one of the caller, or
 * was refused. 409 `already_objected`. 429 `temporarily_unavailable` with `Retry-After`. 503 if the operator could not
 * be stopped: the caller can say it again.
 *
 * `isStopped`: whether the operator may not act as the caller now, until another person lifts it. Not if it began more
 * than 30 days ago, nor if software acted on its own. `isEnded`: whether nothing runs any more of what ends by it.
 *
 * Takes an objection. Each impersonation takes one. Where the stop could not be stored, it can be said again:
 * then it is no second alarm.
 */
export function objections() {
  const limit = operatorLimit(MAX_IN_AN_HOUR, 3600)
  /** Those that are not stored yet. */
  const pending = new Set<string>()

  return async (call: WithBody<typeof OBJECTION, CustomerRecordCall>) => {
    const { body, caller, audit, now, records } = call
    const { note } = body
    const id = ownId(body.id)
    await limit(caller.id)
    const row = await audit.store.row(id)
    // A request that was refused never was an impersonation: there is nothing to object to.
    const began = row?.startedAt ?? row?.askedAt
    if (row?.customer?.id !== caller.id || began === undefined) throw notYours()
    await waitForCapacity(call)
    const isSaid = row.objection !== undefined || pending.has(id)
    const said = { by: caller.id, note }
    if (!isSaid) {
      pending.add(id)
      const entry = { event: 'support.objected', timeMs: now(), id, userId: caller.id } as const
      void audit.record({ ...entry, ...said }).finally(() => pending.delete(id))
    }
    const operator = began >= now() - RECENT_MS ? row.operator?.id : undefined
    const objection = { impersonation: id, at: row.objection?.at }
    const stopping =
      operator === undefined
        ? endObjected(call, row)
        : records.stop({ ...said, operator, customer: caller.id, objection })
    const { stop, isNew, isEnded } = await stopping.finally(() => settle(audit))
    if (isSaid && !isNew) {
      throw new Problem(409, 'already_objected', 'you have said so already')
    }
    return { isStopped: stop !== undefined, isEnded }
  }
}

/** Ends this one alone: nobody is stopped. */
async function endObjected({ caller, provider, now }: CustomerRecordCall, row: AuditRow) {
  const endOne = async () => {
    if (!['running', 'waiting'].includes(outcomeOf(row, now()))) return
    await provider.impersonation.end(row.id, { by: { sub: caller.id }, cause: 'user' })
  }
  const isEnded = await endedInTime('what a customer objected to is not ended yet', endOne())
  return { stop: undefined, isNew: false, isEnded }
}
