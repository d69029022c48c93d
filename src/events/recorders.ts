import type { Provider } from 'oidc-provider'
import { instance } from '../host/weak-cache.ts'
import { aFunction, resolve, valid } from '../options/rules.ts'
import type {
  ImpersonationEvent,
  RecordEvent,
  RecordedEventName,
  RecordFirstOptions,
} from '../public/events.ts'
import { NotRecorded, RecorderNotReady } from '../shared/errors.ts'
import { limitTime } from '../shared/time.ts'
import { warn } from '../shared/warn.ts'

/** Records events, with a timeout in milliseconds. */
export interface Recorder {
  readonly record: RecordEvent
  readonly timeoutMs: number
  readonly ready: RecordFirstOptions['ready']
}

/** The options of `recordFirst`. */
export const RECORDER_RULES = {
  /** In seconds. */
  timeout: valid<number>(
    (value) => typeof value === 'number' && value > 0 && value <= 30,
    'a number of seconds, more than 0 and at most 30',
  ).or(2),
  ready: aFunction<NonNullable<RecordFirstOptions['ready']>>(),
}

/** @throws TypeError that begins with the path of the wrong value */
export function parseRecorder(record: RecordEvent, options?: RecordFirstOptions): Recorder {
  aFunction().required('(name, event) => promise')(record, 'recordFirst.record')
  const { timeout, ...recorder } = resolve(RECORDER_RULES, options, 'recordFirst')
  return { ...recorder, record, timeoutMs: timeout * 1000 }
}

export function addRecorder(provider: Provider, recorder: Recorder): void {
  instance(provider).recorders.push(recorder)
}

/** @throws RecorderNotReady if a recorder is not ready, does not respond in time, or fails */
export async function recordersReady(provider: Provider): Promise<void> {
  const { recorders: all } = instance(provider)
  if (all.length === 0) return
  const asked = all.map(async ({ ready, timeoutMs }) => !ready || within(timeoutMs, ready))
  let answers: readonly unknown[]
  try {
    answers = await Promise.all(asked)
  } catch (cause) {
    throw new RecorderNotReady({ cause })
  }
  // Anything but a clear yes is a no (fail closed, I9).
  if (answers.some((answer) => answer !== true)) throw new RecorderNotReady()
}

export function hasRecorders(provider: Provider): boolean {
  return instance(provider).recorders.length > 0
}

/** @throws NotRecorded if a recorder does not store it in time */
export async function record(
  provider: Provider,
  name: RecordedEventName,
  event: ImpersonationEvent,
): Promise<void> {
  try {
    await Promise.all(
      instance(provider).recorders.map((each) =>
        within(each.timeoutMs, () => each.record(name, event)),
      ),
    )
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'no Error'
    warn('NOT_RECORDED', `${name} was not recorded in time: ${reason}`)
    throw new NotRecorded({ cause })
  }
}

/** Rejects if it fails, or takes too long. Then it goes on, and nothing waits for it. */
async function within<T>(timeoutMs: number, run: () => T | PromiseLike<T>): Promise<T> {
  return limitTime(timeoutMs, run(), () => new Error(`it took longer than ${timeoutMs / 1000} s`))
}
