import type { Context, Middleware } from 'koa'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { AuditTrail } from '../audit/trail.ts'
import { tokenEndpointCors } from '../host/cors.ts'
import { runInRequest } from '../host/request.ts'
import type { Impersonations } from '../lifecycle/impersonations.ts'
import { MAX_CHAIN, parseAct } from '../shared/act.ts'
import { CURRENT_END_PATH } from '../shared/status-uris.ts'
import type { AccessTokenVerifier } from '../tokens/access-token.ts'
import { AccessTokenRejected, type VerifiedAccessToken } from '../tokens/jwt-access-token.ts'
import { answerErrors, publicCode } from './answer-errors.ts'
import { presentedToken } from './bearer.ts'
import { withOidc } from './context.ts'

/**
 * `POST {issuer}/impersonations/current/end` as Koa middleware of the provider: ends the impersonation
 * whose access token the request carries, with its proof where it is bound. The operator's application
 * needs no other credential, and answers CORS as it does at the token endpoint.
 */
export function endCurrentRoute(
  provider: Provider,
  verifier: AccessTokenVerifier,
  impersonations: Impersonations,
): Middleware {
  const answer = answerErrors(provider)
  const cors = tokenEndpointCors(provider)

  return async (ctx, next) => {
    if (ctx.path !== CURRENT_END_PATH) return next()
    ctx.set('Cache-Control', 'no-store')
    const oidcCtx = withOidc(provider, ctx)
    return answer(ctx, async () => {
      await runInRequest(ctx, () => cors(ctx, () => handle(oidcCtx)))
    })
  }

  async function handle(ctx: Context & KoaContextWithOIDC): Promise<void> {
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST, OPTIONS')
      throw new errors.InvalidRequest('only POST is allowed here', 405)
    }
    const trail = new AuditTrail(provider, ctx, 'end')
    try {
      await end(ctx, trail)
    } catch (error) {
      if (!(error instanceof errors.UseDpopNonce)) trail.failed(error, publicCode(error))
      throw error
    }
    ctx.status = 204
  }

  async function end(ctx: KoaContextWithOIDC, trail: AuditTrail): Promise<void> {
    const presented = await presentedToken(provider, ctx, trail)
    try {
      const token = await verifier.verifyUserToken(presented.value)
      trail.note({ subject: token.accountId, client: token.clientId })
      const id = impersonationIdOf(token)
      trail.note({ id })
      presented.requireProof(token)
      // Asks clientBasedCORS, where the request comes from another origin.
      ctx.oidc.entity('Client', await verifier.findClient(token.clientId))
      await presented.useProof(token.clientId)
      const before = await impersonations.get(id)
      const by = parseAct(token.act, MAX_CHAIN)
      // Also of one that has ended: the event of an end whose outcome was not known may be due.
      const after = await impersonations.end(id, by ? { by: { sub: by.sub } } : {}, ctx)
      if (!before || before.state === 'ended') {
        throw new AccessTokenRejected('its impersonation has ended already')
      }
      if (after?.state !== 'ended') throw new AccessTokenRejected('its impersonation has expired')
    } catch (cause) {
      if (cause instanceof AccessTokenRejected) throw new errors.InvalidToken({ cause })
      throw cause
    }
  }
}

/** @throws AccessTokenRejected for a token of a user in person */
function impersonationIdOf({ impersonationId }: VerifiedAccessToken): string {
  if (impersonationId !== undefined) return impersonationId
  throw new AccessTokenRejected('not of an impersonation')
}
