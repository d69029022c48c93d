import { BoundedMap } from 'oidc-provider-impersonation/siblings'
import { escapeControls, reasonOf } from 'oidc-provider-impersonation-verify/format'
import { parseQuery } from '../../http/query.ts'
import type { Call } from '../parts.ts'
import { countToDecide } from '../permits/waiting.ts'
import type { ChangedEvent } from './answers.ts'
import { EventStream } from './event-stream.ts'
import { openAlarms } from './open-alarms.ts'
import { slots, tooMany } from './slots.ts'

/** Milliseconds between two signs of life. At each of them, the caller must still be who they were. */
const HEARTBEAT_MS = 15_000
/** The largest number of open streams in one process, and of one person: a tab takes one. */
const MAX_STREAMS = 1000
const MAX_STREAMS_PER_PERSON = 12

/** How many operators of rows and permits are remembered. */
const MAX_OPERATORS_KNOWN = 5000

/** `GET /stream`: tells of changes as they happen. */
export function changeStream(heartbeat = HEARTBEAT_MS): (call: Call) => Promise<void> {
  const { take } = slots(MAX_STREAMS, MAX_STREAMS_PER_PERSON)
  const operators = new BoundedMap<string, string>(MAX_OPERATORS_KNOWN)

  /** Which of the rows and permits are the caller's. The operator never changes once it is known. */
  async function findOwn(
    ids: ReadonlySet<string>,
    { audit, caller, pauses, settings: { permits } }: Call,
  ): Promise<string[]> {
    const own: string[] = []
    for (const id of ids) {
      if (!operators.has(id)) {
        const found =
          (await audit.store.row(id)) ?? (await permits?.get(id)) ?? (await pauses.get(id))
        const operator = found?.operator?.id
        if (operator === undefined) continue
        operators.set(id, operator)
      }
      if (operators.get(id) === caller.id) own.push(id)
    }
    return own
  }

  /**
   * What the caller is told of rows that changed; `undefined` where they may see none of them.
   *
   * @param before what they were told last
   * @param onLate called where `toDecide` may be another number later
   */
  async function findChange(
    ids: ReadonlySet<string>,
    call: Call,
    onLate: (answered: Promise<unknown>) => void,
    before?: ChangedEvent,
  ): Promise<ChangedEvent | undefined> {
    const { audit, caller, now, settings } = call
    const toDecide = settings.permits
      ? await countToDecide(settings.permits, caller, onLate).catch(() => before?.toDecide ?? 0)
      : 0
    if (caller.role !== 'operator') {
      return { ids: [...ids], alarms: await openAlarms(audit.store, now), toDecide }
    }
    const own = await findOwn(ids, call)
    const isForOthers = ids.size > 0 && own.length === 0 && toDecide === before?.toDecide
    return isForOthers ? undefined : { ids: own, alarms: 0, toDecide }
  }

  async function follow(call: Call): Promise<void> {
    const { ctx, audit, closing } = call
    ctx.respond = false
    const stream = new EventStream(ctx.res)
    const end = () => stream.end()
    closing.addEventListener('abort', end, { once: true })
    if (closing.aborted) end()
    const timer = setInterval(async () => {
      const again = await call.findAgain().catch(() => undefined)
      if (again?.role === call.caller.role) stream.comment('still here')
      else end()
    }, heartbeat).unref()
    try {
      const changes = audit.changes.follow(stream.ended)
      // From here on no change is missed. What happened before the page may have missed: any row.
      let next = changes.next()
      let late: Promise<undefined> | undefined
      const onLate = (answered: Promise<unknown>) => {
        late = answered.then(() => undefined)
      }
      let last = await findChange(new Set(), call, onLate)
      await stream.send('changed', last)
      for (;;) {
        const happened: Awaited<typeof next> | undefined = await (late
          ? Promise.race([next, late])
          : next)
        if (happened?.done) break
        if (happened) next = changes.next()
        else late = undefined
        const change = await findChange(happened?.value ?? new Set(), call, onLate, last)
        const isNews = happened !== undefined || change?.toDecide !== last?.toDecide
        if (change && isNews) await stream.send('changed', change)
        last = change ?? last
      }
    } catch (error) {
      const line = `support console: ${ctx.method} ${ctx.path}: ${reasonOf(error)}`
      console.error(escapeControls(line))
    } finally {
      clearInterval(timer)
      closing.removeEventListener('abort', end)
      end()
    }
  }

  return async (call) => {
    parseQuery(call.ctx.querystring)
    if (call.closing.aborted) throw tooMany()
    const giveBack = take(call.caller.id)
    try {
      await follow(call)
    } finally {
      giveBack()
    }
  }
}
