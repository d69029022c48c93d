import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { warnOfListener } from '../host/instance.ts'
import { slot } from '../host/slot.ts'
import { aFunction, resolve, valid } from '../options/rules.ts'
import type {
  ImpersonationEvent,
  ImpersonationEvents,
  RecordEvent,
  RecordedEventName,
  RecordFirstOptions,
} from '../public/events.ts'
import { NotRecorded, RecorderNotReady } from '../shared/errors.ts'
import { limitTime } from '../shared/time.ts'
import { warn } from '../shared/warn.ts'

/** Records events, and how long it may take, in milliseconds. */
interface Recorder {
  readonly record: RecordEvent
  readonly timeoutMs: number
  readonly ready: RecordFirstOptions['ready']
}

const RULES = {
  record: aFunction<RecordEvent>().required('(name, event) => promise'),
  /** In seconds. */
  timeout: valid<number>(
    (value) => typeof value === 'number' && value > 0 && value <= 30,
    'a number of seconds, more than 0 and at most 30',
  ).or(2),
  ready: aFunction<NonNullable<RecordFirstOptions['ready']>>(),
}

/** @throws TypeError that begins with the path of what is wrong */
export function parseRecorder(record: RecordEvent, options?: RecordFirstOptions): Recorder {
  const { timeout, ...recorder } = resolve(RULES, { ...options, record }, 'recordFirst')
  return { ...recorder, timeoutMs: timeout * 1000 }
}

const recordersOf = slot<readonly Recorder[]>('the recorders')

export function addRecorder(provider: Provider, recorder: Recorder): void {
  recordersOf.set(provider, [...recorders(provider), recorder])
}

/** @throws RecorderNotReady where a recorder says so, does not say in time, or fails */
export async function recordersReady(provider: Provider): Promise<void> {
  const asked = recorders(provider).map(
    async ({ ready, timeoutMs }) => !ready || within(timeoutMs, ready),
  )
  let answers: readonly unknown[]
  try {
    answers = await Promise.all(asked)
  } catch (cause) {
    throw new RecorderNotReady({ cause })
  }
  // I9: what is no clear yes is a no.
  if (answers.some((answer) => answer !== true)) throw new RecorderNotReady()
}

/**
 * Emits an event of this package. Listeners run after the answer is sent, each separately: an error
 * or a delay in one listener does not affect the client or the next listener.
 *
 * @param facts asked at once, and only where there is a listener
 */
export function emitLater(
  provider: Provider,
  name: keyof ImpersonationEvents,
  ctx: KoaContextWithOIDC | undefined,
  facts: () => Partial<ImpersonationEvent>,
): void {
  if (provider.listenerCount(name) > 0) notifyListeners(provider, name, ctx, buildEvent(facts))
}

/**
 * Has what lets a person act recorded, and then emits it. Listeners hear nothing of what was not recorded:
 * it is answered by 503, and it never began.
 *
 * @throws NotRecorded where a recorder does not have it in time
 */
export async function emitRecorded(
  provider: Provider,
  name: Exclude<RecordedEventName, 'impersonation.ended'>,
  ctx: KoaContextWithOIDC,
  facts: () => Partial<ImpersonationEvent>,
): Promise<void> {
  if (!isHeard(provider, name)) return
  const event = buildEvent(facts)
  await record(provider, name, event)
  notifyListeners(provider, name, ctx, event)
}

/**
 * Has an end recorded, which has been carried out, and then emits it, recorded or not.
 *
 * @param facts asked at once, and only where somebody hears of it
 * @returns when it is recorded, or its time is over. Never rejects
 */
export async function emitEnd(
  provider: Provider,
  ctx: KoaContextWithOIDC | undefined,
  facts: () => Partial<ImpersonationEvent>,
): Promise<void> {
  const name = 'impersonation.ended'
  if (!isHeard(provider, name)) return
  const event = buildEvent(facts)
  await record(provider, name, event).catch(() => {})
  notifyListeners(provider, name, ctx, event)
}

export function hasRecorders(provider: Provider): boolean {
  return recorders(provider).length > 0
}

function recorders(provider: Provider): readonly Recorder[] {
  return recordersOf.find(provider) ?? []
}

function isHeard(provider: Provider, name: RecordedEventName): boolean {
  return provider.listenerCount(name) > 0 || hasRecorders(provider)
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

function buildEvent(facts: () => Partial<ImpersonationEvent>): ImpersonationEvent {
  return Object.freeze({ time: Date.now(), ...facts() })
}

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
