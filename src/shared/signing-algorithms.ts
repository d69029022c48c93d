import type { AsymmetricSigningAlgorithm } from 'oidc-provider'

/**
 * The algorithms that may sign an access token here, in order of preference (RFC 9068 §2.1).
 * Neither `none` nor a shared secret (RFC 8725 §3.1, §3.2).
 */
export const SIGNING_ALGORITHMS: AsymmetricSigningAlgorithm[] = [
  'RS256',
  'ES256',
  'EdDSA',
  'Ed25519',
  'PS256',
  'ES384',
  'ES512',
  'RS384',
  'RS512',
  'PS384',
  'PS512',
  'ML-DSA-44',
  'ML-DSA-65',
  'ML-DSA-87',
]
