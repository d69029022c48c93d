import type { Provider } from 'oidc-provider'
import { signJwt } from '../host/instance.ts'
import { epochSeconds } from '../shared/time.ts'

/** `typ` of a checkpoint, and of nothing else that the provider signs (RFC 8725 §3.11). */
const CHECKPOINT_TYPE = 'impersonation-audit-checkpoint+jwt'

/** The limit of the claims as JSON, in UTF-16 units: 1 MiB. */
const MAX_LENGTH = 1_048_576

/**
 * Signs a checkpoint with the key that signs status lists. All data of the caller is inside
 * `checkpoint`. There is no `sub`, `aud`, `exp`, `scope` or `client_id`, without which no access
 * token, ID token, logout token or status list is valid.
 *
 * @throws TypeError for claims that JSON cannot hold, or that are too long
 * @throws Error if no key of the provider can sign
 */
export async function signCheckpoint(provider: Provider, claims: object): Promise<string> {
  const checkpoint = JSON.stringify(claims)
  if (checkpoint.length > MAX_LENGTH) {
    throw new TypeError(`a checkpoint must be at most ${MAX_LENGTH} characters of JSON`)
  }
  return signJwt(provider, CHECKPOINT_TYPE, {
    iss: provider.issuer,
    iat: epochSeconds(),
    checkpoint: JSON.parse(checkpoint),
  })
}
