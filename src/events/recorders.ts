import type { Provider } from 'oidc-provider'
import type {
  ImpersonationEvent,
  RecordEvent,
  RecordedEventName,
  RecordFirstOptions,
} from '../public/events.ts'
import { NotRecorded, RecorderNotReady } from '../shared/errors.ts'
import { limitTime } from '../shared/time.ts'

/** Records events, and how long it may take, in milliseconds. */
interface Recorder {
  readonly record: RecordEvent
  readonly timeoutMs: number
  readonly ready: RecordFirstOptions['ready']
}

const recordersOf = new WeakMap<Provider, readonly Recorder[]>()
/** Resolves when every end so far is recorded, or has waited for its time. */
const endsOf = new WeakMap<Provider, Promise<void>>()

export function addRecorder(provider: Provider, recorder: Recorder): void {
  recordersOf.set(provider, [...(recordersOf.get(provider) ?? []), recorder])
}

/** @throws RecorderNotReady where a recorder says so, does not say in time, or fails */
export async function recordersReady(provider: Provider): Promise<void> {
  const asked = (recordersOf.get(provider) ?? []).map(
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

export function hasRecorders(provider: Provider): boolean {
  return recordersOf.has(provider)
}

/** @throws NotRecorded where a recorder does not have it in time */
export async function recordInTime(
  provider: Provider,
  name: RecordedEventName,
  event: ImpersonationEvent,
): Promise<void> {
  try {
    await Promise.all(
      (recordersOf.get(provider) ?? []).map(({ record, timeoutMs }) =>
        within(timeoutMs, () => record(name, event)),
      ),
    )
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'no Error'
    process.emitWarning(`${name} was not recorded in time: ${reason}`, 'ImpersonationWarning')
    throw new NotRecorded({ cause })
  }
}

/**
 * An end is carried out in any case: a recorder that fails changes nothing.
 *
 * @param then called when it is recorded, or its time is over
 */
export function recordEnd(provider: Provider, event: ImpersonationEvent, then: () => void): void {
  const recorded = recordInTime(provider, 'impersonation.ended', event)
    .catch(() => {})
    .then(then)
  // Each waits for its own time alone, so that this never takes longer than the last one.
  const before = endsOf.get(provider)
  // By `then`, which keeps nothing of the ends before: the result of `Promise.all` would hold them all.
  endsOf.set(provider, before ? before.then(() => recorded) : recorded)
}

/** Resolves when every end so far is recorded, or its time is over. Never rejects. */
export async function endsRecorded(provider: Provider): Promise<void> {
  await endsOf.get(provider)
}

/** Rejects where it fails, or takes too long. Then it goes on, and nothing waits for it. */
async function within<T>(timeoutMs: number, run: () => T | PromiseLike<T>): Promise<T> {
  return limitTime(timeoutMs, run(), () => new Error(`it took longer than ${timeoutMs / 1000} s`))
}
