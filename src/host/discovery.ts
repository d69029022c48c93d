// lib/helpers/weak_cache: members of discovery are an option, and one that is known at the
// registration alone, because the issuer is not part of the configuration.
import type { Provider } from 'oidc-provider'
import instance from 'oidc-provider/lib/helpers/weak_cache.js'

/**
 * Adds members to both discovery documents of this provider. Those of the provider and of the
 * deployment's own `discovery` stay.
 */
export function addToDiscovery(provider: Provider, members: Record<string, string>): void {
  const { configuration } = instance(provider)
  configuration.discovery = { ...members, ...configuration.discovery }
}
