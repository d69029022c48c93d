import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { warnOfListener } from '../host/instance.ts'
import { instance } from '../host/weak-cache.ts'
import type {
  ImpersonationEvent,
  ImpersonationEvents,
  RecordedEventName,
} from '../public/events.ts'
import { record } from './recorders.ts'

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
  const isRecorded = instance(provider).recorders.length > 0
  const recorded = isRecorded ? RECORDED.find((each) => each === name) : undefined
  if (!recorded && provider.listenerCount(name) === 0) return
  const event = Object.freeze({ timeMs: Date.now(), ...facts() })
  try {
    if (recorded) await record(provider, recorded, event)
  } catch (error) {
    if (name !== 'impersonation.ended') throw error
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
