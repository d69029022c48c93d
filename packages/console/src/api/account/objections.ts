import { limitTime } from 'oidc-provider-impersonation/siblings'
import {
  type AuditRow,
  MAX_NOTE_LENGTH,
  outcomeOf,
  present,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'
import { log } from '../../audit/log-line.ts'
import { parseOptionalText, readBody } from '../../http/json-body.ts'
import { Problem } from '../../http/problem.ts'
import { endForObjection } from '../../permits/ends.ts'
import { reading, settle } from '../audit-trouble.ts'
import { waitForCapacity } from '../console/router.ts'
import { operatorLimit } from '../operator-limit.ts'
import { permittingCustomer } from '../permits/shown.ts'
import type { ObjectionAnswer } from './answers.ts'
import { type AccountCall, idIn, notYours } from './call.ts'

/** Requests of a customer in an hour. Each objection is an alarm that people look at. */
const MAX_IN_AN_HOUR = 20
/** What began longer ago pauses no one, in milliseconds. */
const RECENT_MS = 30 * 86_400_000
/** How long the ends may take before the answer leaves, in milliseconds. */
const END_TIMEOUT_MS = 2000

/**
 * `POST /objection`. Each impersonation takes one. Where the pause could not be stored, it can be said again:
 * then it is no second alarm.
 */
export function objections(): (call: AccountCall) => Promise<void> {
  const limit = operatorLimit(MAX_IN_AN_HOUR, 3600)
  /** Those that are not stored yet. */
  const pending = new Set<string>()

  function record(own: string, { audit, caller, now }: AccountCall, id: string, note?: string) {
    const by = caller.id
    const entry = { event: 'support.objected', time: now(), id, subject: by, by } as const
    pending.add(own)
    const stored = audit.recorder.record({ ...entry, ...present({ note }) })
    void stored.finally(() => pending.delete(own))
  }

  return async (call) => {
    const { ctx, caller, audit, now } = call
    const body = await readBody(ctx, 'id', 'note')
    const id = idIn(body.id)
    const note = parseOptionalText(body, 'note', MAX_NOTE_LENGTH)
    await limit(caller.id)
    const row = await reading(() => audit.store.row(id))
    // What was refused never was an impersonation: there is nothing to object to.
    const began = row?.startedAt ?? row?.askedAt
    if (row?.customer?.id !== caller.id || began === undefined) throw notYours()
    await waitForCapacity(call)
    const own = `${caller.id} ${id}`
    const isSaid = row.objection !== undefined || pending.has(own)
    const at = row.objection?.at ?? now()
    if (!isSaid) record(own, call, id, note)
    const operator = began >= now() - RECENT_MS ? row.operator?.id : undefined
    const about = operator === undefined ? undefined : { operator, customer: caller.id }
    const [paused] = await Promise.allSettled([
      about &&
        permittingCustomer(() => call.pauses.object({ ...about, impersonation: id, at, note })),
    ])
    // An end never waits until it can be recorded (I13): it is carried out in any case.
    const isEnded = await end(call, row, about)
    await settle(audit)
    if (paused.status === 'rejected') throw paused.reason
    if (isSaid && !paused.value?.isNew) {
      throw new Problem(409, 'already_objected', 'you have said so already')
    }
    ctx.body = {
      isPaused: paused.value?.pause !== undefined,
      isEnded,
      offersAsk: await offersAsk(call),
    } satisfies ObjectionAnswer
  }
}

/** Ends all of the operator, or else this one alone. */
async function end(
  { caller, provider, now }: AccountCall,
  row: AuditRow,
  about: { readonly operator: string; readonly customer: string } | undefined,
): Promise<boolean> {
  const endOne = async () => {
    if (!['running', 'waiting'].includes(outcomeOf(row, now()))) return
    await provider.impersonation.end(row.id, { by: { sub: caller.id }, cause: 'user' })
  }
  const late = () => new Error('it takes too long')
  try {
    if (about) await endForObjection(provider, about, now(), END_TIMEOUT_MS)
    else await limitTime(END_TIMEOUT_MS, endOne(), late)
    return true
  } catch (error) {
    log(`what a customer objected to is not ended yet: ${reasonOf(error)}`)
    return false
  }
}

/** A convenience: where it cannot be looked up, it is not offered. */
async function offersAsk({ caller, settings: { permits } }: AccountCall): Promise<boolean> {
  if (!permits?.hasStanding) return false
  const choice = await permits.standing(caller.id).then(
    (standing) => standing.choice,
    () => 'ask' as const,
  )
  return choice !== 'ask' && choice !== 'never'
}
