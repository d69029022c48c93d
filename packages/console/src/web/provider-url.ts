import type { Provider } from 'oidc-provider-impersonation'

/** The public address of an endpoint of the provider, such as `jwks`. */
export function providerUrl(provider: Pick<Provider, 'issuer' | 'pathFor'>, name: string): string {
  const { issuer } = provider
  // The path of the issuer is the one that the provider is mounted at.
  const mountPath = new URL(issuer).pathname.replace(/\/$/, '')
  return new URL(provider.pathFor(name, { mountPath }), issuer).href
}
