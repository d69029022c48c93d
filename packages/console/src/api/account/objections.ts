import { MAX_NOTE_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { parseOptionalText, readBody } from '../../http/json-body.ts'
import { Problem } from '../../http/problem.ts'
import { reading, settle } from '../audit-trouble.ts'
import { waitForCapacity } from '../console/router.ts'
import { type AccountCall, idIn, notYours } from './call.ts'
import { hourlyLimit } from './hourly-limit.ts'

/** Requests of a customer in an hour. Each objection is an alarm that people look at. */
const MAX_IN_AN_HOUR = 20

/** `POST /objection`. Each impersonation takes one. */
export function objections(): (call: AccountCall) => Promise<void> {
  const limit = hourlyLimit(MAX_IN_AN_HOUR)
  /** Those that are not stored yet: of two at once, one is refused. */
  const pending = new Set<string>()

  return async (call) => {
    const { ctx, caller, audit, now } = call
    const body = await readBody(ctx, 'id', 'note')
    const id = idIn(body.id)
    const note = parseOptionalText(body, 'note', MAX_NOTE_LENGTH)
    await limit(caller.id)
    const own = `${caller.id} ${id}`
    if (pending.has(own)) throw alreadyObjected()
    pending.add(own)
    try {
      const row = await reading(() => audit.store.row(id))
      // What was refused never was an impersonation: there is nothing to object to.
      const isOwn = row?.customer?.id === caller.id
      if (!isOwn || (row.askedAt ?? row.startedAt) === undefined) throw notYours()
      if (row.objection) throw alreadyObjected()
      await waitForCapacity(call)
    } catch (error) {
      pending.delete(own)
      throw error
    }
    const by = caller.id
    const entry = { event: 'support.objected', time: now(), id, subject: by, by } as const
    const stored = audit.recorder.record({ ...entry, ...(note === undefined ? {} : { note }) })
    void stored.finally(() => pending.delete(own))
    await settle(audit)
    ctx.status = 204
  }
}

function alreadyObjected(): Problem {
  return new Problem(409, 'already_objected', 'you have said so already')
}
