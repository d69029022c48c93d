import type { Middleware } from 'koa'

/**
 * Lets pages of another origin call the paths below `path` with a token, and never with cookies.
 * The guard's challenge is shown to them, so that they can tell an end from a missing scope.
 */
export function allowOrigin(path: string, origin: string | undefined): Middleware {
  return async (ctx, next) => {
    const isBelow = ctx.path === path || ctx.path.startsWith(`${path}/`)
    if (!isBelow || origin === undefined) return next()
    ctx.vary('Origin')
    if (ctx.get('Origin') !== origin) return next()
    ctx.set('Access-Control-Allow-Origin', origin)
    if (ctx.method !== 'OPTIONS') {
      ctx.set('Access-Control-Expose-Headers', 'WWW-Authenticate, DPoP-Nonce')
      return next()
    }
    ctx.set({
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, DPoP',
      'Access-Control-Allow-Methods': 'GET, PATCH, PUT',
      'Access-Control-Max-Age': '600',
    })
    ctx.status = 204
  }
}
