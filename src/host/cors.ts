// lib/shared/cors: the token endpoint's own answer to other origins, clientBasedCORS included.
import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider'
import cors from 'oidc-provider/lib/shared/cors.js'
import { configurationOf } from './provider-configuration.ts'

/**
 * CORS as at the token endpoint. The deployment's `clientBasedCORS` is asked once the context has
 * its `Client` entity.
 */
export function tokenEndpointCors(provider: Provider, allowMethods: 'GET' | 'POST'): Middleware {
  const dPoP = configurationOf(provider).features?.dPoP
  const hasNonces = dPoP?.enabled === true && dPoP.nonceSecret !== undefined
  return cors({
    allowMethods,
    clientBased: true,
    exposeHeaders: [...(hasNonces ? ['DPoP-Nonce'] : []), 'WWW-Authenticate'],
    maxAge: 3600,
  })
}
