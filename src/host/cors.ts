// lib/shared/cors: the token endpoint's own answer to other origins, clientBasedCORS included.
import type { Middleware } from 'koa'
import cors from 'oidc-provider/lib/shared/cors.js'

/**
 * CORS as at the token endpoint. The deployment's `clientBasedCORS` is asked once the context has
 * its `Client` entity.
 */
export const tokenEndpointCors: Middleware = cors({
  allowMethods: 'POST',
  clientBased: true,
  exposeHeaders: ['DPoP-Nonce', 'WWW-Authenticate'],
  maxAge: 3600,
})
