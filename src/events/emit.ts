import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { warnOfListener } from '../host/instance.ts'
import type {
  ImpersonationEvent,
  ImpersonationEvents,
  RecordedEventName,
} from '../public/events.ts'
import { hasRecorders, record } from './recorders.ts'

/** The events that recorders take: everything that lets a person act, and its end. */
const RECORDED: readonly RecordedEventName[] = [
  'impersonation.issued',
  'impersonation.started',
  'impersonation.ended',
]

/**
 * Records the event if a recorder takes it, then emits it.
 *
 * @param facts - called at once, and only if there is a recorder or a listener
 * @throws NotRecorded if a recorder does not store it in time. Listeners do not get an event that
 * was not recorded, because the response is 503, and the impersonation never began. An end was
 * carried out all the same.
 */
export async function emit(
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

/** @returns when an end is recorded, or its time is over. It never rejects. */
export async function emitEnd(
  provider: Provider,
  ctx: KoaContextWithOIDC | undefined,
  facts: () => Partial<ImpersonationEvent>,
): Promise<void> {
  await emit(provider, 'impersonation.ended', ctx, facts).catch(() => {})
}

/**
 * Calls the listeners after the response is sent, each separately. An error or a delay in one
 * listener affects neither the client nor the next listener.
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
