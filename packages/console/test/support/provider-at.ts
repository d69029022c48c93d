import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { type BindingMember, Provider } from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'

/** A private key to sign with. */
export async function signingKey(kid: string) {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' }
}

/**
 * A provider that signs, and no more.
 *
 * @param keys it signs with the first
 */
export async function providerAt(
  issuer: string,
  keys?: readonly JWK[],
  {
    requireBinding = [],
    cookieKey = 'test',
  }: { requireBinding?: BindingMember[]; cookieKey?: string } = {},
) {
  return new Provider(issuer, {
    adapter: createMemoryAdapter(),
    jwks: { keys: (keys ?? [await signingKey('k')]) as never },
    cookies: { keys: [cookieKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      impersonation: {
        enabled: true,
        managementApi: { resource: `${issuer}/api`, clients: { issue: [] }, requireBinding },
      },
    },
  })
}
