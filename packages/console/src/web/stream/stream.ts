import { BoundedMap } from 'oidc-provider-impersonation/siblings'
import { escapeControls, reasonOf } from 'oidc-provider-impersonation-verify/format'
import type { Changed } from '../../ledger/recording/changes.ts'
import type { ChangedEvent } from '../answers.ts'
import type { Call } from '../parts.ts'
import { slots, tooMany } from '../slots.ts'
import { EventStream } from './event-stream.ts'

/** Milliseconds between two signs of life. At each of them, the caller must still be who they were. */
const HEARTBEAT_MS = 15_000
/** The largest number of open streams in one process, and of one person: a tab takes one. */
const MAX_STREAMS = 1000
const MAX_STREAMS_PER_PERSON = 12

/** The number of operators of rows and permits that are remembered. */
const MAX_OPERATORS_KNOWN = 5000

const NOTHING: Changed = { rows: new Set(), begunOrEnded: new Set() }

/** Functions of the features that the stream calls. */
export interface Told<C> {
  /** Counts the alarms to look at, up to one more than `MAX_COUNTED`. */
  countAlarms(call: C): Promise<number>
  /**
   * On how many permits the caller may decide, at most one more than `MAX_COUNTED`.
   *
   * @param onLate called where it may be another number later
   */
  countToDecide(call: C, onLate: (answered: Promise<unknown>) => void): Promise<number>
  /** The account id of the operator of a row, a permit or a pause; `undefined` where it is none. */
  findOperator(call: C, id: string): Promise<string | undefined>
}

/** `GET /stream`: tells of changes as they happen. */
export function changeStream<C extends Call>(
  { countAlarms, countToDecide, findOperator }: Told<C>,
  heartbeat = HEARTBEAT_MS,
): (call: C) => Promise<void> {
  const { take } = slots(MAX_STREAMS, MAX_STREAMS_PER_PERSON)
  const operators = new BoundedMap<string, string>(MAX_OPERATORS_KNOWN)

  /** Finds the rows and permits of the caller. The operator never changes once it is known. */
  async function findOwn(ids: ReadonlySet<string>, call: C): Promise<string[]> {
    const own: string[] = []
    for (const id of ids) {
      if (!operators.has(id)) {
        const operator = await findOperator(call, id)
        if (operator === undefined) continue
        operators.set(id, operator)
      }
      if (operators.get(id) === call.caller.id) own.push(id)
    }
    return own
  }

  /**
   * Finds what the caller is told of rows that changed, or `undefined` if they may see none of them.
   *
   * @param before what they were told last
   * @param onLate called where `toDecide` may be another number later
   */
  async function findChange(
    { rows, begunOrEnded }: Changed,
    call: C,
    onLate: (answered: Promise<unknown>) => void,
    before?: ChangedEvent,
  ): Promise<ChangedEvent | undefined> {
    const toDecide = await countToDecide(call, onLate).catch(() => before?.toDecide ?? 0)
    if (call.caller.role !== 'operator') {
      return {
        ids: [...rows],
        alarms: await countAlarms(call),
        toDecide,
        isOfRunning: rows.size === 0 || begunOrEnded.size > 0,
      }
    }
    const own = await findOwn(rows, call)
    const isForOthers = rows.size > 0 && own.length === 0 && toDecide === before?.toDecide
    return isForOthers
      ? undefined
      : {
          ids: own,
          alarms: 0,
          toDecide,
          isOfRunning: rows.size === 0 || own.some((id) => begunOrEnded.has(id)),
        }
  }

  async function follow(call: C): Promise<void> {
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
      let last = await findChange(NOTHING, call, onLate)
      await stream.send('changed', last)
      for (;;) {
        const happened: Awaited<typeof next> | undefined = await (late
          ? Promise.race([next, late])
          : next)
        if (happened?.done) break
        if (happened) next = changes.next()
        else late = undefined
        const change = await findChange(happened?.value ?? NOTHING, call, onLate, last)
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
    if (call.closing.aborted) throw tooMany()
    const giveBack = take(call.caller.id)
    try {
      await follow(call)
    } finally {
      giveBack()
    }
  }
}
