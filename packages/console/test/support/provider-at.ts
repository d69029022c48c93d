import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'

/** A provider that signs, and no more. */
export async function providerAt(issuer: string): Promise<Provider> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'k', alg: 'ES256', use: 'sig' }
  return new Provider(issuer, {
    adapter: createMemoryAdapter(),
    jwks: { keys: [key as never] },
    cookies: { keys: ['test'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      impersonation: {
        enabled: true,
        managementApi: { resource: `${issuer}/api`, clients: { issue: [] } },
      },
    },
  })
}
