import { type Provider, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'

/**
 * Whether a request shows an impersonated access token, by its `Authorization`. The guard of the API has
 * not checked it yet: a forged one only waits.
 */
export type ShowsImpersonation = (authorization: string) => Promise<boolean>

/** How the `jti` of an impersonated JWT begins. */
const JTI_PREFIX = 'impersonation:'
/** The longest opaque token that is looked up, in characters. */
const MAX_OPAQUE = 1024

/** A JWT says it itself. An opaque token is looked up in the provider's storage. */
export function impersonationShownTo(provider: Pick<Provider, 'AccessToken'>): ShowsImpersonation {
  return async (authorization) => {
    const [, value = ''] = /^(?:bearer|dpop) +([A-Za-z0-9._~+/=-]+)$/i.exec(authorization) ?? []
    if (value === '') return false
    const claims = claimsIn(value)
    if (claims) return typeof claims.jti === 'string' && claims.jti.startsWith(JTI_PREFIX)
    if (value.length > MAX_OPAQUE) return false
    try {
      const token = await provider.AccessToken.find(value)
      return token?.gty === TOKEN_EXCHANGE_GRANT_TYPE
    } catch {
      // It may be one.
      return true
    }
  }
}

/** The claims of a JWT, unverified; `undefined` for a token that is none. */
function claimsIn(token: string): { readonly jti?: unknown } | undefined {
  try {
    const [, payload = ''] = token.split('.')
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return typeof claims === 'object' && claims !== null ? claims : undefined
  } catch {
    return undefined
  }
}
