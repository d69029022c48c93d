import type { Provider } from 'oidc-provider'
import { signJwt } from '../host/instance.ts'
import { epochSeconds } from '../shared/time.ts'

/** `typ` of a checkpoint, and of nothing else that the provider signs (RFC 8725 §3.11). */
const CHECKPOINT_TYPE = 'impersonation-audit-checkpoint+jwt'

/**
 * Signs a checkpoint with the key that signs status lists. All data of the caller is inside
 * `checkpoint`. There is no `sub`, `aud`, `exp`, `scope` or `client_id`, without which no access
 * token, ID token, logout token or status list is valid.
 *
 * @throws TypeError for claims that JSON cannot hold
 * @throws Error if no key of the provider can sign
 */
export async function signCheckpoint(provider: Provider, checkpoint: object): Promise<string> {
  const claims = { iss: provider.issuer, iat: epochSeconds(), checkpoint }
  return signJwt(provider, CHECKPOINT_TYPE, claims)
}
