import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { warnOfListener } from '../host/emit.ts'
import type {
  ImpersonationEvent,
  ImpersonationEvents,
  RecordedEventName,
} from '../public/events.ts'
import { hasRecorders, recordEnd, recordInTime } from './recorders.ts'

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
  if (provider.listenerCount(name) === 0 && !hasRecorders(provider)) return
  const event = buildEvent(facts)
  await recordInTime(provider, name, event)
  notifyListeners(provider, name, ctx, event)
}

/**
 * Has an end recorded, which has been carried out, and then emits it, recorded or not. `endsRecorded` waits
 * for its recorders.
 */
export function emitEnd(
  provider: Provider,
  ctx: KoaContextWithOIDC | undefined,
  facts: () => Partial<ImpersonationEvent>,
): void {
  const name = 'impersonation.ended'
  if (provider.listenerCount(name) === 0 && !hasRecorders(provider)) return
  const event = buildEvent(facts)
  const notify = () => notifyListeners(provider, name, ctx, event)
  if (hasRecorders(provider)) recordEnd(provider, event, notify)
  else notify()
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
