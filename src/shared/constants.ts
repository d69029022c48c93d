/** The grant type this package adds to the provider. RFC 8693 §2.1. */
export const TOKEN_EXCHANGE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The only token type that goes in or comes out. RFC 8693 §3. */
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/**
 * Marks the `jti` of an impersonated JWT: the mark identifies the token even without `act`. Ids
 * drawn by the provider never contain a colon.
 */
export const IMPERSONATED_JTI_PREFIX = 'impersonation:'

/** In JWTs that could serve as actor token: the grant behind it, which can be revoked. */
export const GRANT_ID_CLAIM = 'op_grant_id'
