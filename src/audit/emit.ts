import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { ImpersonationEvent, ImpersonationEvents } from '../public/events.ts'

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
  if (provider.listenerCount(name) === 0) return
  const event: ImpersonationEvent = Object.freeze({ time: Date.now(), ...facts() })
  setImmediate(() => {
    for (const listener of provider.rawListeners(name)) {
      void Promise.resolve()
        .then(() => Reflect.apply(listener, provider, [ctx, event]))
        .catch((error: unknown) => {
          process.emitWarning(
            `a listener for ${name} failed: ${error instanceof Error ? error.message : 'no Error'}`,
            'ImpersonationWarning',
          )
        })
    }
  })
}
