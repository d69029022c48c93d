import { exportJWK, generateKeyPair } from 'jose'
import type { ProviderConfiguration } from 'oidc-provider-impersonation'
import { TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import type { TestProviderOptions, TestSigningAlgorithm } from './options.ts'

/** The machine client that issues subject tokens. */
export const BACKEND_CLIENT_ID = 'test-backend'
/** The application of operators. It is public. */
export const APPLICATION_CLIENT_ID = 'test-application'

/** The maximum and the default lifetime of an access token, in seconds. */
export const MAX_TOKEN_SECONDS = 3600

/** The settings of the resource for one exchange. */
export interface AskedFor {
  readonly scope: string
  /** The lifetime of the access token. */
  readonly seconds: number
  readonly signingAlgorithm: TestSigningAlgorithm
}

/** Returns a resource that issues JWTs, with the scope of the request. Every resource exists. */
export function resourceServerInfo({ scope, seconds, signingAlgorithm }: AskedFor) {
  return {
    scope,
    accessTokenTTL: seconds,
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: signingAlgorithm } },
  }
}

/**
 * The configuration of a provider for tests. Every account exists.
 *
 * @param asked - returns the settings of the exchange under way
 */
export async function testConfiguration(
  issuer: string,
  asked: () => AskedFor,
  { getCustomJwtClaims, authorize }: TestProviderOptions,
): Promise<ProviderConfiguration> {
  const { signingAlgorithm } = asked()
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true })
  // Without `alg`: a verifier that relies on it does not fit every provider.
  const key = { ...(await exportJWK(privateKey)), kid: 'test', use: 'sig' }
  const management = `${issuer}/api`
  return {
    adapter: createMemoryAdapter(),
    jwks: { keys: [key] },
    cookies: { keys: ['test'] },
    clientDefaults: { id_token_signed_response_alg: signingAlgorithm },
    clients: [
      {
        client_id: BACKEND_CLIENT_ID,
        client_secret: 'test-backend-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
      {
        client_id: APPLICATION_CLIENT_ID,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
        redirect_uris: ['https://application.invalid/callback'],
      },
    ],
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? MAX_TOKEN_SECONDS,
      Grant: MAX_TOKEN_SECONDS,
      Session: MAX_TOKEN_SECONDS,
    },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => resourceServerInfo(asked()),
      },
      impersonation: {
        enabled: true,
        managementApi: { resource: management, clients: [BACKEND_CLIENT_ID] },
        accessToken: { maxTtl: MAX_TOKEN_SECONDS },
        ending: { enabled: true },
        getCustomJwtClaims,
        authorize,
      },
    },
  }
}
