// No part of lib/ is used. oidc-provider names records, lifetimes and events after its classes.
import type { Provider } from 'oidc-provider'

/** Models whose records decide about an impersonation. */
const MODEL_NAMES = [
  'AccessToken',
  'Client',
  'ClientCredentials',
  'Grant',
  'ReplayDetection',
  'Session',
] as const

/**
 * Checks that a bundler left oidc-provider's class names alone. With other names it stores tokens
 * under a wrong kind and does not find them again.
 *
 * @throws TypeError naming the first class that was renamed, and the setting that keeps names
 */
export function checkClassNames(provider: Provider): void {
  const renamed = MODEL_NAMES.find((model) => provider[model].name !== model)
  if (renamed === undefined) return
  throw new TypeError(
    `A minifier renamed the classes of oidc-provider: ${renamed} is called '${provider[renamed].name}'. ` +
      'oidc-provider stores and finds its records by these names. ' +
      'Keep them when you bundle (esbuild: keepNames: true, terser: keep_classnames: true), ' +
      'or leave oidc-provider out of the bundle (external)',
  )
}
