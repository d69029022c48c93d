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

/** @throws NotRecorded if a recorder does not store it in time */
export async function record(
  provider: Provider,
  name: RecordedEventName,
  event: ImpersonationEvent,
): Promise<void> {
  try {
    await Promise.all(instance(provider).recorders.map((each) => each.record(name, event)))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'no Error'
    warn('NOT_RECORDED', `${name} was not recorded in time: ${reason}`)
    throw new NotRecorded({ cause })
  }
}
