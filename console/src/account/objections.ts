import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { reading, settle } from '../api/audit-trouble.ts'
import { waitForRoom } from '../api/router.ts'
import { optionalTextOf, readBody } from '../http/json-body.ts'
import { Problem } from '../http/problem.ts'
import { type AccountCall, idIn, notYours } from './call.ts'

const MOST_CHARACTERS = 500
/** Requests of a customer in an hour. Each objection is an alarm that people look at. */
const MOST_IN_AN_HOUR = 20
const HOUR = 3600

/** `POST /objection`. Each impersonation takes one. */
export function objections(): (call: AccountCall) => Promise<void> {
  const limiter = new RateLimiterMemory({ points: MOST_IN_AN_HOUR, duration: HOUR })
  /** Those that are not stored yet: of two at once, one is refused. */
  const pending = new Set<string>()

  return async (call) => {
    const { ctx, caller, audit, now } = call
    const body = await readBody(ctx, 'id', 'note')
    const id = idIn(body.id)
    const note = optionalTextOf(body, 'note', MOST_CHARACTERS)
    await consume(limiter, caller.id)
    const own = `${caller.id} ${id}`
    if (pending.has(own)) throw said()
    pending.add(own)
    try {
      const row = await reading(() => audit.store.row(id))
      // What was refused never was an impersonation: there is nothing to object to.
      const isOwn = row?.customer?.id === caller.id
      if (!isOwn || (row.askedAt ?? row.startedAt) === undefined) throw notYours()
      if (row.objection) throw said()
      await waitForRoom(call)
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

function said(): Problem {
  return new Problem(409, 'already_objected', 'you have said so already')
}

async function consume(limiter: RateLimiterMemory, accountId: string): Promise<void> {
  try {
    await limiter.consume(accountId)
  } catch (rejection) {
    if (!(rejection instanceof RateLimiterRes)) throw rejection
    const retryAfter = String(Math.ceil(rejection.msBeforeNext / 1000))
    throw new Problem(429, 'too_many_requests', 'you have said this often: try again later', {
      retryAfter,
    })
  }
}
