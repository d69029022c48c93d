import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'

/** How long the provider may take to answer, in milliseconds. */
const TIMEOUT = 5000

/**
 * The provider's published keys: where its discovery document says, unless said otherwise. They
 * are fetched when first needed, kept, and fetched again when a token names a key that is not
 * among them.
 */
export function providerKeys(issuer: string, jwksUri: string | undefined): JWTVerifyGetKey {
  let keys: Promise<JWTVerifyGetKey> | undefined
  return async (header, token) => {
    keys ??= remoteKeys(issuer, jwksUri)
    try {
      return await (await keys)(header, token)
    } catch (error) {
      // A discovery that failed is tried again by the next request.
      await keys.catch(() => {
        keys = undefined
      })
      throw error
    }
  }
}

async function remoteKeys(issuer: string, jwksUri: string | undefined): Promise<JWTVerifyGetKey> {
  const uri = jwksUri ?? (await discover(issuer))
  return createRemoteJWKSet(new URL(uri), { timeoutDuration: TIMEOUT })
}

async function discover(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) })
  const document: unknown = response.ok ? await response.json() : undefined
  if (typeof document !== 'object' || document === null) {
    throw new Error(`${url} answered ${response.status}`)
  }
  const { issuer: named, jwks_uri: uri }: { issuer?: unknown; jwks_uri?: unknown } = document
  // OpenID Connect Discovery §4.3: the issuer "MUST exactly match".
  if (named !== issuer || typeof uri !== 'string') {
    throw new Error(`${url} is not the discovery document of ${issuer}`)
  }
  return uri
}
