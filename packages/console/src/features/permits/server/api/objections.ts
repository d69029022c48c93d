import {
  type AuditRow,
  outcomeOf,
  present,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'
import type { Read } from '../../../../kernel/input.ts'
import { log } from '../../../../kernel/log-line.ts'
import { END_TIMEOUT_MS, waitForEnds } from '../../../../records/ends.ts'
import { settle, waitForCapacity } from '../../../../web/audit.ts'
import { optionalNote } from '../../../../web/http/json-body.ts'
import { Problem } from '../../../../web/http/problem.ts'
import { operatorLimit } from '../../../../web/operator-limit.ts'
import { notYours, OWN_ID, ownId } from '../../../../web/own-id.ts'
import type { ObjectionAnswer } from '../../../../web/pause-answers.ts'
import type { CustomerPermitCall } from './shown.ts'

/** Requests of a customer in an hour. Each objection is an alarm that people look at. */
const MAX_IN_AN_HOUR = 20
/** What began longer ago pauses no one, in milliseconds. */
const RECENT_MS = 30 * 86_400_000
export const OBJECTION = { ...OWN_ID, note: optionalNote }

/**
 * Takes an objection. Each impersonation takes one. Where the pause could not be stored, it can be said again:
 * then it is no second alarm.
 */
export function objections(): (
  call: CustomerPermitCall & { readonly body: Read<typeof OBJECTION> },
) => Promise<ObjectionAnswer> {
  const limit = operatorLimit(MAX_IN_AN_HOUR, 3600)
  /** Those that are not stored yet. */
  const pending = new Set<string>()

  function record(
    own: string,
    { audit, caller, now }: CustomerPermitCall,
    id: string,
    note?: string,
  ) {
    const by = caller.id
    const entry = { event: 'support.objected', timeMs: now(), id, userId: by, by } as const
    pending.add(own)
    const stored = audit.record({ ...entry, ...present({ note }) })
    void stored.finally(() => pending.delete(own))
  }

  return async (call) => {
    const { body, caller, audit, now } = call
    const { note } = body
    const id = ownId(body.id)
    await limit(caller.id)
    const row = await audit.store.row(id)
    // What was refused never was an impersonation: there is nothing to object to.
    const began = row?.startedAt ?? row?.askedAt
    if (row?.customer?.id !== caller.id || began === undefined) throw notYours()
    await waitForCapacity(call)
    const own = `${caller.id} ${id}`
    const isSaid = row.objection !== undefined || pending.has(own)
    const at = row.objection?.at ?? now()
    if (!isSaid) record(own, call, id, note)
    const operator = began >= now() - RECENT_MS ? row.operator?.id : undefined
    const objection = { impersonation: id, at }
    const about = { customer: caller.id, by: caller.id, note, objection }
    const [stopped] = await Promise.allSettled([
      operator === undefined ? undefined : call.records.stop({ ...about, operator }),
    ])
    const isEnded = operator === undefined && (await endObjected(call, row))
    await settle(audit)
    if (stopped.status === 'rejected') throw stopped.reason
    if (isSaid && !stopped.value?.isNew) {
      throw new Problem(409, 'already_objected', 'you have said so already')
    }
    const { stop, isEnded: isOver = isEnded } = stopped.value ?? {}
    return { isPaused: stop !== undefined, isEnded: isOver }
  }
}

/** Ends this one alone. */
async function endObjected(
  { caller, provider, now }: CustomerPermitCall,
  row: AuditRow,
): Promise<boolean> {
  const endOne = async () => {
    if (!['running', 'waiting'].includes(outcomeOf(row, now()))) return
    await provider.impersonation.end(row.id, { by: { sub: caller.id }, cause: 'user' })
  }
  try {
    await waitForEnds(END_TIMEOUT_MS, endOne())
    return true
  } catch (error) {
    log(`what a customer objected to is not ended yet: ${reasonOf(error)}`)
    return false
  }
}
