import type { AuthorizationServer } from 'oauth4webapi'

const { dataset } = document.body

/** The public client of this page: the server says it. */
export const CLIENT_ID = dataset.clientId ?? ''

/** The provider, as the server says it in the page: no request is needed. */
export const OIDC_PROVIDER = {
  issuer: dataset.issuer ?? '',
  authorization_endpoint: dataset.authorizationEndpoint ?? '',
  token_endpoint: dataset.tokenEndpoint ?? '',
  end_session_endpoint: dataset.endSessionEndpoint ?? '',
  jwks_uri: dataset.jwksUri ?? '',
  // RFC 9207: an answer without `iss` is not of this provider.
  authorization_response_iss_parameter_supported: true,
  // The ID token comes over TLS from the token endpoint, so its signature is not checked: OpenID
  // Connect Core 1.0, section 3.1.3.7. A client may have any of these; `none` is not among them.
  id_token_signing_alg_values_supported: [
    'RS256',
    'RS384',
    'RS512',
    'PS256',
    'PS384',
    'PS512',
    'ES256',
    'ES384',
    'ES512',
    'EdDSA',
    'Ed25519',
    'ML-DSA-44',
    'ML-DSA-65',
    'ML-DSA-87',
  ],
} satisfies AuthorizationServer

/** Whether requests to the provider have its cookies: only then a renewal needs no redirect. */
export const IS_PROVIDER_HERE =
  new URL(OIDC_PROVIDER.authorization_endpoint, location.origin).origin === location.origin
