import type { Provider } from 'oidc-provider'
import { instance } from '../host/weak-cache.ts'

/**
 * Runs work once for a key, in all processes of this issuer, and remembers the key for a day. If the
 * work fails, the key is free again.
 *
 * @returns `false` if it ran before, or runs now
 */
export function runOnce(
  provider: Provider,
  key: string,
  work: () => Promise<unknown>,
): Promise<boolean> {
  return instance(provider).subjectTokens.runOnce(`${provider.issuer} ${key}`, work)
}
