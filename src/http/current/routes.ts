import type { Context, Middleware } from 'koa'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { tokenEndpointCors } from '../../host/cors.ts'
import { runInRequest, withOidc } from '../../host/request.ts'
import { CURRENT_END_PATH, CURRENT_PATH, issuerUri } from '../../shared/status-uris.ts'
import { answerErrors } from '../answer-errors.ts'
import type { CurrentParts } from './current-token.ts'
import { endCurrent } from './end.ts'
import { showCurrent } from './show.ts'

interface Route {
  readonly method: 'GET' | 'POST'
  readonly handle: (ctx: KoaContextWithOIDC) => Promise<void>
}

/**
 * `{issuer}/impersonations/current` and `…/current/end` as Koa middleware of the provider: the
 * impersonation whose access token the request carries, with its proof where it is bound. The
 * operator's application needs no other credential, and answers CORS as it does at the token endpoint.
 */
export function currentRoutes(provider: Provider, parts: CurrentParts): Middleware {
  const routes = new Map<string, Middleware>([
    [
      CURRENT_PATH,
      answering(CURRENT_PATH, { method: 'GET', handle: showCurrent(provider, parts) }),
    ],
    [
      CURRENT_END_PATH,
      answering(CURRENT_END_PATH, { method: 'POST', handle: endCurrent(provider, parts) }),
    ],
  ])
  return (ctx, next) => routes.get(ctx.path)?.(ctx, next) ?? next()

  function answering(path: string, { method, handle }: Route): Middleware {
    const answer = answerErrors(provider)
    const cors = tokenEndpointCors(provider, method)
    return async (ctx) => {
      ctx.set('Cache-Control', 'no-store')
      const oidcCtx = withOidc(provider, ctx, () => issuerUri(provider.issuer, path))
      await answer(ctx, async () => {
        await runInRequest(ctx, () =>
          cors(ctx, async () => {
            refuseOtherMethods(ctx, method)
            await handle(oidcCtx)
          }),
        )
      })
    }
  }
}

/** @throws errors.InvalidRequest with status 405 */
function refuseOtherMethods(ctx: Context, method: Route['method']): void {
  if (ctx.method === method) return
  ctx.set('Allow', `${method}, OPTIONS`)
  throw new errors.InvalidRequest(`only ${method} is allowed here`, 405)
}
