import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { BoundedMap } from 'oidc-provider-impersonation/siblings'
import { escapeControls, reasonOf } from 'oidc-provider-impersonation-verify/format'
import type { Changed } from '../../ledger/recording/changes.ts'
import type { ChangedEvent } from '../answers.ts'
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
export function changeStream<C extends Call>(
  { count, findOperator }: Told<C>,
  heartbeat = HEARTBEAT_MS,
): (call: C) => Promise<void> {
  const { take } = slots(MAX_STREAMS, MAX_STREAMS_PER_PERSON)
  const operators = new BoundedMap<string, string>(MAX_OPERATORS_KNOWN)

  /** Finds the rows and records of the caller. The operator never changes once it is known. */
  async function findOwn(ids: Iterable<string>, call: C): Promise<string[]> {
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
   * @param onLate called if `waits` may be another number later
   */
  async function findChange(
    changed: Changed,
    call: C,
    onLate: (answered: Promise<unknown>) => void,
    before?: ChangedEvent,
  ): Promise<ChangedEvent | undefined> {
    const waits = await count(call, onLate).catch(() => before?.waits ?? 0)
    const isOperator = call.caller.role === 'operator'
    const ids = isOperator ? await findOwn(changed.keys(), call) : [...changed.keys()]
    const isForOthers = changed.size > 0 && ids.length === 0 && waits === before?.waits
    const isOfRunning = changed.size === 0 || ids.some((id) => changed.get(id))
    return isOperator && isForOthers ? undefined : { ids, waits, isOfRunning }
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
        const isNews = happened !== undefined || change?.waits !== last?.waits
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

/** Server-sent events, on a response that has all headers except the type. */
class EventStream {
  readonly #response: ServerResponse
  readonly #ended = new AbortController()

  /** Sends the headers and a comment at once. */
  constructor(response: ServerResponse) {
    this.#response = response
    response.once('close', () => this.#ended.abort())
    response.on('error', () => this.end())
    // The client may have disconnected before this point.
    if (response.closed) this.#ended.abort()
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      // nginx, for example, buffers an answer unless this header forbids it.
      'X-Accel-Buffering': 'no',
    })
    this.comment('following')
  }

  /** Aborts when the stream ends, for any reason. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  /**
   * Resolves when there is capacity for more, or when the stream has ended.
   *
   * @param data any JSON value
   */
  async send(event: string, data: unknown): Promise<void> {
    await this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Sends a comment to keep the connection alive. Ends the stream if the client does not read. */
  comment(text: string): void {
    if (this.#response.writableNeedDrain) this.end()
    else void this.#write(`: ${text}\n\n`)
  }

  end(): void {
    if (this.#ended.signal.aborted) return
    this.#ended.abort()
    this.#response.end()
    setTimeout(() => this.#response.destroy(), CLOSE_TIMEOUT_MS).unref()
  }

  async #write(text: string): Promise<void> {
    if (this.#ended.signal.aborted || this.#response.write(text)) return
    await once(this.#response, 'drain', { signal: this.#ended.signal }).catch(() => {})
  }
}
