import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { warnOfListener } from '../host/instance.ts'
import { instance } from '../host/weak-cache.ts'
import { aFunction, resolve, valid } from '../options/rules.ts'
import type {
  ImpersonationEvent,
  ImpersonationEvents,
  RecordEvent,
  RecordedEventName,
  RecordFirstOptions,
} from '../public/events.ts'
import { NotRecorded, RecorderNotReady } from '../shared/errors.ts'
import { present } from '../shared/json.ts'
import { limitTime } from '../shared/time.ts'
import { warn } from '../shared/warn.ts'

/** The options of `recordFirst`. */
export const RECORDER_RULES = {
  /** In seconds. */
  timeout: valid<number>(
    (value) => typeof value === 'number' && value > 0 && value <= 30,
    'a number of seconds, more than 0 and at most 30',
  ).or(2),
  ready: aFunction<NonNullable<RecordFirstOptions['ready']>>(),
}

/** A recorder of a deployment. Both members reject after its timeout, and it goes on. */
export type Recorder = ReturnType<typeof parseRecorder>

/** @throws TypeError that begins with the path of the wrong value */
export function parseRecorder(record: RecordEvent, options?: RecordFirstOptions) {
  aFunction().required('(name, event) => promise')(record, 'recordFirst.record')
  const { timeout, ready = () => true } = resolve(RECORDER_RULES, options, 'recordFirst')
  const inTime = async <T>(run: () => T | PromiseLike<T>): Promise<T> =>
    limitTime(timeout * 1000, run(), () => new Error(`it took longer than ${timeout} s`))
  return {
    record: (...event: Parameters<RecordEvent>) => inTime(() => record(...event)),
    isReady: () => inTime(ready),
  }
}

/** @throws RecorderNotReady if a recorder is not ready, does not respond in time, or fails */
export async function recordersReady(provider: Provider): Promise<void> {
  const asked = instance(provider).recorders.map((each) => each.isReady())
  const answers: unknown[] = await Promise.all(asked).catch((cause) => {
    throw new RecorderNotReady({ cause })
  })
  // Anything but a clear yes is a no (fail closed, I9).
  if (answers.some((answer) => answer !== true)) throw new RecorderNotReady()
}

/** The events that recorders take: everything that lets a person act, and its end. */
const RECORDED: readonly RecordedEventName[] = [
  'impersonation.issued',
  'impersonation.started',
  'impersonation.ended',
]

/**
 * Records the event if a recorder takes it, then calls the listeners.
 *
 * @param facts - called at once, and only if there is a recorder or a listener
 * @throws NotRecorded if a recorder does not store it in time. Listeners do not get an event that
 * was not recorded, because the response is 503, and the impersonation never began. An end was
 * carried out all the same, so it never throws.
 */
export async function emit(
  provider: Provider,
  name: keyof ImpersonationEvents,
  ctx: KoaContextWithOIDC | undefined,
  facts: () => Partial<ImpersonationEvent>,
): Promise<void> {
  const { recorders } = instance(provider)
  const recorded = recorders.length > 0 ? RECORDED.find((each) => each === name) : undefined
  if (!recorded && provider.listenerCount(name) === 0) return
  const event = Object.freeze(present({ timeMs: Date.now(), ...facts() }))
  try {
    if (recorded) await Promise.all(recorders.map((each) => each.record(recorded, event)))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'no Error'
    warn('NOT_RECORDED', `${name} was not recorded in time: ${reason}`)
    if (name !== 'impersonation.ended') throw new NotRecorded({ cause })
  }
  // Each separately, after the response is sent. An error or a delay in one listener affects
  // neither the client nor the next listener.
  setImmediate(() => {
    for (const listener of provider.rawListeners(name)) {
      void Promise.resolve()
        .then(() => Reflect.apply(listener, provider, [ctx, event]))
        .catch((error: unknown) => warnOfListener(name, error))
    }
  })
}
