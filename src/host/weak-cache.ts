import type { Provider } from 'oidc-provider'
// The parts are typed by the file that makes them. No code of it is imported.
import type { Parts } from '../assemble.ts'

const instances = new WeakMap<Provider, Parts>()

export function setInstance(provider: Provider, parts: Parts): void {
  instances.set(provider, parts)
}

/** Returns the parts of a provider, as oidc-provider's own `instance(provider)` does. */
export function instance(provider: Provider): Parts {
  const parts = instances.get(provider)
  if (!parts) throw new Error('impersonation is not part of this provider')
  return parts
}

/** @throws Error if impersonations cannot be listed and ended */
export function requireEnding(provider: Provider) {
  const { ending } = instance(provider)
  if (ending) return ending
  throw new Error(
    'impersonations cannot be seen or ended here: see canEnd, and features.impersonation.ending',
  )
}
