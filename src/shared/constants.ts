import type { AsymmetricSigningAlgorithm } from 'oidc-provider'

/** The grant type this package adds to the provider. RFC 8693 §2.1. */
export const TOKEN_EXCHANGE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The only token type that goes in or comes out. RFC 8693 §3. */
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/**
 * Marks the `jti` of an impersonated JWT: the mark identifies the token even without `act`. Ids
 * drawn by the provider never contain a colon.
 */
export const IMPERSONATED_JTI_PREFIX = 'impersonation:'

/**
 * Marks an impersonated opaque token, in its record and at introspection: the impersonation's id.
 */
export const IMPERSONATION_ID_CLAIM = 'impersonation_id'

/** The form of an impersonation's id: a SHA-256, base64url. */
export const IMPERSONATION_ID = /^[A-Za-z0-9_-]{43}$/

/** In JWTs that could serve as actor token: the grant behind it, which can be revoked. */
export const GRANT_ID_CLAIM = 'op_grant_id'

/** The scope of a machine-to-machine token that may see impersonations. */
export const READ_SCOPE = 'impersonations:read'

/** The scope of a machine-to-machine token that may end impersonations. */
export const END_SCOPE = 'impersonations:end'

/** The lifetime of a subject token without `ttl.SubjectToken`, in seconds. */
export const DEFAULT_SUBJECT_TOKEN_TTL = 600

/** The maximum lifetime of a subject token, in seconds. */
export const MAX_SUBJECT_TOKEN_TTL = 3600

/** The largest `accessToken.maxTtl`, in seconds. */
export const MAX_ACCESS_TOKEN_TTL = 86_400

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
