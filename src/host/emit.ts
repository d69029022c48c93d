// No part of lib/ is used.
import type { Provider } from 'oidc-provider'
import { warn } from '../shared/warn.ts'

/**
 * Emits an event of oidc-provider's kind: the listeners run at once. One that throws is reported by a
 * warning and costs the request nothing; those after it do not run, as with every emitter.
 */
export function emitSafely(provider: Provider, name: string, ...args: unknown[]): void {
  try {
    provider.emit(name, ...args)
  } catch (error) {
    warnOfListener(name, error)
  }
}

/** Says that a listener of the deployment failed. */
export function warnOfListener(name: string, error: unknown): void {
  warn(
    'LISTENER_FAILED',
    `a listener for ${name} failed: ${error instanceof Error ? error.message : 'no Error'}`,
  )
}
