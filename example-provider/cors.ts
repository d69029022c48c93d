import type { Middleware } from 'koa'

/**
 * Lets pages of another origin call an API with a token, and never with cookies. The guard's
 * challenge is shown to them, so that they can tell an end from a missing scope.
 */
export function allowOrigin(origin: string | undefined): Middleware {
  return async (ctx, next) => {
    ctx.vary('Origin')
    if (origin === undefined || ctx.get('Origin') !== origin) return next()
    ctx.set('Access-Control-Allow-Origin', origin)
    ctx.set('Access-Control-Expose-Headers', 'WWW-Authenticate, DPoP-Nonce')
    if (ctx.method !== 'OPTIONS') return next()
    ctx.set('Access-Control-Allow-Headers', 'Authorization, Content-Type, DPoP')
    ctx.set('Access-Control-Allow-Methods', 'GET, PATCH, PUT')
    ctx.set('Access-Control-Max-Age', '600')
    ctx.status = 204
  }
}
