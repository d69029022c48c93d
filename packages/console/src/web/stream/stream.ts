import { once } from 'node:events'
import { BoundedMap } from 'oidc-provider-impersonation/siblings'
import { reasonOf } from 'oidc-provider-impersonation-verify/format'
import type { Changed } from '../../ledger/recording/changes.ts'
import type { ChangedEvent } from '../answers.ts'
import { logTrouble } from '../http/problem.ts'
import type { Call } from '../parts.ts'
import { slots, tooMany } from '../slots.ts'

/** Milliseconds between two signs of life. At each of them, the caller must still be who they were. */
const HEARTBEAT_MS = 15_000
/** The largest number of open streams in one process, and of one person: a tab takes one. */
const MAX_STREAMS = 1000
const MAX_STREAMS_PER_PERSON = 12

/** The number of operators of rows and permits that are remembered. */
const MAX_OPERATORS_KNOWN = 5000
/** The timeout of the last bytes, in milliseconds. The client may have stopped reading. */
const CLOSE_TIMEOUT_MS = 1000

const NOTHING: Changed = new Map()

/** Functions of the features that the stream calls. */
export interface Told<C> {
  /**
   * Counts what waits for the caller, up to one more than `MAX_COUNTED`.
   *
   * @param onLate called if it may be another number later
   */
  count(call: C, onLate: (answered: Promise<unknown>) => void): Promise<number>
  /** The account id of the operator of a row or a record; `undefined` if it is neither. */
  findOperator(call: C, id: string): Promise<string | undefined>
}

/** `GET /stream`: tells of changes as they happen. */
export function changeStream<C extends Call>({ count, findOperator }: Told<C>) {
  const inSlot = slots(MAX_STREAMS, MAX_STREAMS_PER_PERSON)
  const operators = new BoundedMap<string, string>(MAX_OPERATORS_KNOWN)

  /** Finds the rows and records of the caller. The operator never changes once it is known. */
  async function findOwn(ids: Iterable<string>, call: C): Promise<string[]> {
    const own: string[] = []
    for (const id of ids) {
      const operator = operators.get(id) ?? (await findOperator(call, id))
      if (operator !== undefined) operators.set(id, operator)
      if (operator === call.caller.id) own.push(id)
    }
    return own
  }

  /**
   * Finds what the caller may see of rows that changed.
   *
   * @param onLate called if `waits` may be another number later
   * @param before what they were told last
   */
  async function findChange(
    changed: Changed,
    call: C,
    onLate: (answered: Promise<unknown>) => void,
    before?: ChangedEvent,
  ): Promise<ChangedEvent> {
    const waits = await count(call, onLate).catch(() => before?.waits ?? 0)
    const isOperator = call.caller.role === 'operator'
    const ids = isOperator ? await findOwn(changed.keys(), call) : [...changed.keys()]
    return { ids, waits, isOfRunning: changed.size === 0 || ids.some((id) => changed.get(id)) }
  }

  /** Yields what the caller is told, until the signal aborts. The first one comes at once. */
  async function* changesFor(call: C, signal: AbortSignal): AsyncGenerator<ChangedEvent, void> {
    const changes = call.audit.changes.follow(signal)
    // From here on no change is missed. What happened before the page may have missed: any row.
    let next = changes.next()
    let late: Promise<undefined> | undefined
    const onLate = (answered: Promise<unknown>) => {
      late = answered.then(() => undefined)
    }
    let last = await findChange(NOTHING, call, onLate)
    yield last
    for (;;) {
      const happened: Awaited<typeof next> | undefined = await (late
        ? Promise.race([next, late])
        : next)
      if (happened?.done) return
      if (happened) next = changes.next()
      else late = undefined
      const changed = happened?.value ?? NOTHING
      const change = await findChange(changed, call, onLate, last)
      const isSeen = changed.size === 0 || change.ids.length > 0
      if ((happened && isSeen) || change.waits !== last.waits) yield change
      last = change
    }
  }

  /** Sends events, on a response that has all headers except the type. */
  async function follow(call: C): Promise<void> {
    const { ctx, closing } = call
    const { res } = ctx
    const ended = new AbortController()
    const { signal } = ended
    const end = () => ended.abort()
    const write = async (text: string) => {
      if (signal.aborted || res.write(text)) return
      await once(res, 'drain', { signal }).catch(() => {})
    }
    const timer = setInterval(async () => {
      const again = await call.findAgain().catch(() => undefined)
      // A client that does not read is gone, too.
      if (again?.role !== call.caller.role || res.writableNeedDrain) end()
      else await write(': still here\n\n')
    }, HEARTBEAT_MS).unref()
    signal.addEventListener('abort', () => {
      clearInterval(timer)
      res.end()
      setTimeout(() => res.destroy(), CLOSE_TIMEOUT_MS).unref()
    })
    closing.addEventListener('abort', end, { signal })
    res.once('close', end).on('error', end)
    ctx.respond = false
    res.writeHead(200, {
      'Content-Type': 'text/event-stream',
      // nginx, for example, buffers an answer unless this header forbids it.
      'X-Accel-Buffering': 'no',
    })
    // The console may have closed, and the client may have gone, before this point.
    if (closing.aborted || res.closed) end()
    try {
      await write(': following\n\n')
      for await (const change of changesFor(call, signal)) {
        await write(`event: changed\ndata: ${JSON.stringify(change)}\n\n`)
      }
    } catch (error) {
      logTrouble(ctx, reasonOf(error))
    } finally {
      end()
    }
  }

  return async (call: C): Promise<void> => {
    if (call.closing.aborted) throw tooMany()
    await inSlot(call.caller.id, () => follow(call))
  }
}
