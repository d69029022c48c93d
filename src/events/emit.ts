import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { warnOfListener } from '../host/instance.ts'
import type {
  ImpersonationEvent,
  ImpersonationEvents,
  RecordedEventName,
} from '../public/events.ts'
import { hasRecorders, record } from './recorders.ts'

/** What recorders take: what lets a person act, and its end. */
const RECORDED: readonly RecordedEventName[] = [
  'impersonation.issued',
  'impersonation.started',
  'impersonation.ended',
]

/**
 * Has an event of this package recorded, where recorders take events of its name, and then emits it.
 *
 * @param facts asked at once, and only where somebody hears of it
 * @throws NotRecorded where a recorder does not have it in time. Listeners hear nothing of what was not
 * recorded, because it is answered by 503, and it never began. An end was carried out all the same.
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

/** @returns when an end is recorded, or its time is over. Never rejects */
export async function emitEnd(
  provider: Provider,
  ctx: KoaContextWithOIDC | undefined,
  facts: () => Partial<ImpersonationEvent>,
): Promise<void> {
  await emit(provider, 'impersonation.ended', ctx, facts).catch(() => {})
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
