import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { warnOfListener } from '../host/instance.ts'
import { slot } from '../host/slot.ts'
import { aFunction, resolve, valid } from '../options/rules.ts'
import type {
  Denial,
  ImpersonationEvent,
  ImpersonationEvents,
  RecordEvent,
  RecordedEventName,
  RecordFirstOptions,
} from '../public/events.ts'
import type { Need } from '../public/hooks.ts'
import { NotRecorded, publicCode, RecorderNotReady } from '../shared/errors.ts'
import { limitTime } from '../shared/time.ts'
import { warn } from '../shared/warn.ts'

/** What comes of a request that succeeds. An end has an event of its own. */
const SUCCESS_EVENTS = {
  issue: 'impersonation.issued',
  exchange: 'impersonation.started',
  end: undefined,
} as const

/** What recorders take: what lets a person act, and its end. */
const RECORDED: readonly RecordedEventName[] = [
  'impersonation.issued',
  'impersonation.started',
  'impersonation.ended',
]

/** The longest reason in an event, in characters. */
const MAX_REASON_LENGTH = 1024
const TOKEN_PATTERN = /^[A-Za-z0-9._~+/-]{16,}=*$/

/** What a request has to tell. */
export const trailOf = slot<AuditTrail>('the audit trail of the request')

/** Collects the facts of one request and emits its one event. */
export class AuditTrail {
  readonly #provider: Provider
  readonly #ctx: KoaContextWithOIDC
  readonly #stage: Denial['stage']
  readonly #secrets: string[] = []
  /** In the order they were added. They are put together where there is a listener. */
  readonly #parts: Partial<ImpersonationEvent>[] = []
  /** The subject token that was presented again. */
  replayed: { readonly jti: string; readonly end?: object | undefined } | undefined

  constructor(provider: Provider, ctx: KoaContextWithOIDC, stage: Denial['stage']) {
    this.#provider = provider
    this.#ctx = ctx
    this.#stage = stage
  }

  add(facts: Partial<ImpersonationEvent>): void {
    this.#parts.push(facts)
  }

  /** Secret values. The event never contains them, also not inside an error message (no leak, I6). */
  conceal(...secrets: ReadonlyArray<string | undefined>): void {
    for (const secret of secrets) if (secret) this.#secrets.push(secret)
  }

  /**
   * Resolves when the answer may leave.
   *
   * @param undo ends what was issued, by its id: nothing acts before it is recorded (I13)
   * @throws NotRecorded where it is not recorded in time
   */
  async succeeded(undo: (id: string) => void): Promise<void> {
    const name = SUCCESS_EVENTS[this.#stage]
    if (name === undefined) return
    try {
      await emit(this.#provider, name, this.#ctx, () => this.#facts())
    } catch (error) {
      const { id } = this.#facts()
      if (id !== undefined) undo(id)
      throw error
    }
  }

  /** @param code the error code that the client gets */
  failed(error: unknown, code: string): void {
    const name = this.replayed ? 'impersonation.replayed' : 'impersonation.denied'
    if (name === 'impersonation.denied') {
      const reason = this.#withoutSecrets(joinMessages(error)).slice(0, MAX_REASON_LENGTH)
      this.add({ denial: Object.freeze({ stage: this.#stage, error: code, reason }) })
      if (error instanceof Error && 'needs' in error) this.add({ needs: error.needs as Need[] })
    }
    void emit(this.#provider, name, this.#ctx, () => this.#facts())
  }

  #withoutSecrets(text: string): string {
    // Hide only values that look like a token: otherwise a client could remove any word from the
    // reason.
    return this.#secrets
      .filter((secret) => TOKEN_PATTERN.test(secret))
      .reduce((rest, secret) => rest.replaceAll(secret, '[concealed]'), text)
  }

  #facts(): Partial<ImpersonationEvent> {
    return Object.assign({}, ...this.#parts)
  }
}

/** The messages from the outermost error to its innermost cause. */
function joinMessages(error: unknown): string {
  const messages = new Set<string>()
  let cause = error
  for (let depth = 0; cause instanceof Error && depth < 8; depth += 1) {
    const { message } = cause
    messages.add(
      cause instanceof errors.OIDCProviderError ? (cause.error_description ?? message) : message,
    )
    cause = cause.cause
  }
  messages.delete('')
  return [...messages].join(': ')
}

interface Audited<T> {
  /** What an event of a refusal says; absent where a refusal raises none. */
  readonly stage: Denial['stage'] | undefined
  readonly run: () => Promise<T>
  /** Takes back what was issued and could not be recorded, by its id; must return at once. */
  readonly undo: (id: string) => void
}

/**
 * Carries out one request, which raises its one event. An issue begins when recorders are ready, and
 * resolves when its event is recorded (nothing acts before it is recorded, I13).
 */
export async function audited<T>(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  { stage, run, undo }: Audited<T>,
): Promise<T> {
  // Before there is anything to report: an event of this refusal would need capacity as well.
  if (stage === 'issue') await recordersReady(provider)
  const trail = trailOf.set(ctx, new AuditTrail(provider, ctx, stage ?? 'end'))
  let result: T
  try {
    result = await run()
  } catch (error) {
    // The client must retry with the DPoP nonce just sent (RFC 9449 §9): no failure, no event.
    if (stage && !(error instanceof errors.UseDpopNonce)) trail.failed(error, publicCode(error))
    throw error
  }
  if (stage) await trail.succeeded(undo)
  return result
}

/** Records events, and how long it may take, in milliseconds. */
interface Recorder {
  readonly record: RecordEvent
  readonly timeoutMs: number
  readonly ready: RecordFirstOptions['ready']
}

/** What the options of `recordFirst` may be. */
export const RECORDER_RULES = {
  /** In seconds. */
  timeout: valid<number>(
    (value) => typeof value === 'number' && value > 0 && value <= 30,
    'a number of seconds, more than 0 and at most 30',
  ).or(2),
  ready: aFunction<NonNullable<RecordFirstOptions['ready']>>(),
}

/** @throws TypeError that begins with the path of what is wrong */
export function parseRecorder(record: RecordEvent, options?: RecordFirstOptions): Recorder {
  aFunction().required('(name, event) => promise')(record, 'recordFirst.record')
  const { timeout, ...recorder } = resolve(RECORDER_RULES, options, 'recordFirst')
  return { ...recorder, record, timeoutMs: timeout * 1000 }
}

const recordersOf = slot<readonly Recorder[]>('the recorders', () => [])

export function addRecorder(provider: Provider, recorder: Recorder): void {
  recordersOf.set(provider, [...recorders(provider), recorder])
}

/** @throws RecorderNotReady where a recorder says so, does not say in time, or fails */
export async function recordersReady(provider: Provider): Promise<void> {
  const all = recorders(provider)
  if (all.length === 0) return
  const asked = all.map(async ({ ready, timeoutMs }) => !ready || within(timeoutMs, ready))
  let answers: readonly unknown[]
  try {
    answers = await Promise.all(asked)
  } catch (cause) {
    throw new RecorderNotReady({ cause })
  }
  // What is no clear yes is a no (fail closed, I9).
  if (answers.some((answer) => answer !== true)) throw new RecorderNotReady()
}

/**
 * Has an event of this package recorded, where recorders take events of its name, and then emits it.
 *
 * @param facts asked at once, and only where somebody hears of it
 * @throws NotRecorded where a recorder does not have it in time. Listeners hear nothing of what was not
 * recorded, because it is answered by 503, and it never began. An end was carried out all the same.
 */
async function emit(
  provider: Provider,
  name: keyof ImpersonationEvents,
  ctx: KoaContextWithOIDC | undefined,
  facts: () => Partial<ImpersonationEvent>,
): Promise<void> {
  const recorded = RECORDED.find((each) => each === name)
  const isRecorded = recorded !== undefined && hasRecorders(provider)
  if (!isRecorded && provider.listenerCount(name) === 0) return
  const event = Object.freeze({ timeMs: Date.now(), ...facts() })
  try {
    if (isRecorded) await record(provider, recorded, event)
  } catch (error) {
    if (name === 'impersonation.ended') notifyListeners(provider, name, ctx, event)
    throw error
  }
  notifyListeners(provider, name, ctx, event)
}

/** @returns when an end is recorded, or its time is over. Never rejects */
export async function emitEnd(
  provider: Provider,
  ctx: KoaContextWithOIDC | undefined,
  facts: () => Partial<ImpersonationEvent>,
): Promise<void> {
  await emit(provider, 'impersonation.ended', ctx, facts).catch(() => {})
}

export function hasRecorders(provider: Provider): boolean {
  return recorders(provider).length > 0
}

function recorders(provider: Provider): readonly Recorder[] {
  return recordersOf.of(provider)
}

/** @throws NotRecorded where a recorder does not have it in time */
async function record(
  provider: Provider,
  name: RecordedEventName,
  event: ImpersonationEvent,
): Promise<void> {
  try {
    await Promise.all(
      recorders(provider).map((each) => within(each.timeoutMs, () => each.record(name, event))),
    )
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'no Error'
    warn('NOT_RECORDED', `${name} was not recorded in time: ${reason}`)
    throw new NotRecorded({ cause })
  }
}

/** Rejects where it fails, or takes too long. Then it goes on, and nothing waits for it. */
async function within<T>(timeoutMs: number, run: () => T | PromiseLike<T>): Promise<T> {
  return limitTime(timeoutMs, run(), () => new Error(`it took longer than ${timeoutMs / 1000} s`))
}

/**
 * Listeners run after the answer is sent, each separately: an error or a delay in one listener does not affect the
 * client or the next listener.
 */
function notifyListeners(
  provider: Provider,
  name: keyof ImpersonationEvents,
  ctx: KoaContextWithOIDC | undefined,
  event: ImpersonationEvent,
): void {
  setImmediate(() => {
    for (const listener of provider.rawListeners(name)) {
      void Promise.resolve()
        .then(() => Reflect.apply(listener, provider, [ctx, event]))
        .catch((error: unknown) => warnOfListener(name, error))
    }
  })
}
