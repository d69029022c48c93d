import type { Context } from 'koa'
import type { Provider } from 'oidc-provider'
import { tokenEndpointCors } from '../host/cors.ts'

/** Says which pages of other origins get the answer, and answers preflights. */
export type Cors = (
  provider: Provider,
  ctx: Context,
  method: 'GET' | 'POST',
  next: () => Promise<void>,
) => Promise<void>

/** How long a browser may remember the answer to a preflight, in seconds: as the provider's own. */
const PREFLIGHT_MAX_AGE = 3600

/** As at the token endpoint, the deployment's `clientBasedCORS` included. */
export const corsAsTokenEndpoint: Cors = async (provider, ctx, method, next) => {
  await tokenEndpointCors(provider, method)(ctx, next)
}

/** A host application that has answered for CORS already is left alone, as by the provider. */
export const corsForEveryone: Cors = async (_provider, ctx, _method, next) => {
  const names = Object.keys(ctx.response.headers)
  if (!names.some((name) => name.toLowerCase().startsWith('access-control-'))) {
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.set('Access-Control-Expose-Headers', 'ETag')
  }
  if (ctx.method !== 'OPTIONS') return next()
  ctx.status = 204
  ctx.remove('Cache-Control')
  ctx.set('Allow', 'GET, HEAD, OPTIONS')
  if (ctx.get('Access-Control-Request-Method') === '') return
  ctx.remove('Access-Control-Expose-Headers')
  ctx.set('Access-Control-Allow-Methods', 'GET, HEAD')
  ctx.set('Access-Control-Allow-Headers', '*')
  ctx.set('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE))
}
