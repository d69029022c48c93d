/** The asymmetric signature algorithms that oidc-provider knows: what it may sign by. */
export const SIGNING_ALGORITHMS: readonly string[] = [
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
