import type { Context, Middleware } from 'koa'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { runInRequest } from '../host/request.ts'
import { endImpersonation } from '../impersonations/end.ts'
import { IMPERSONATION_ID } from '../shared/constants.ts'
import { subjectTokensOf } from '../tokens/subject-token.ts'
import { answerErrors } from './answers.ts'

/**
 * Ends an impersonation whose subject token is revoked before it was redeemed, at the provider's own
 * revocation endpoint, as Koa middleware of the provider. The endpoint has authenticated the client
 * by then, and has found no token of its own.
 *
 * RFC 7009 §2.1: the server "verifies whether the token was issued to the client making the
 * revocation request". That is the client that asked for it, or the one that it is bound to. To
 * every other client, and for a token that is unknown, used, expired or ended, the answer is the same:
 * 200, and nothing happens (§2.2; no oracle, I6).
 */
export function revocationOfSubjectTokens(provider: Provider): Middleware {
  return async (ctx, next) => {
    await next()
    if (!isWithoutToken(ctx)) return
    await answerErrors(provider, ctx, () => runInRequest(ctx, () => revoke(provider, ctx)))
  }
}

async function revoke(provider: Provider, ctx: KoaContextWithOIDC): Promise<void> {
  const { client, params } = ctx.oidc
  const value: unknown = params?.token
  // The values of subject tokens have the form of their ids.
  if (typeof value !== 'string' || !IMPERSONATION_ID.test(value)) return
  const subjectTokens = subjectTokensOf.of(provider)
  const token = await subjectTokens.findById(subjectTokens.idOf(value))
  // One that was redeemed, has ended or has expired is as one that is unknown.
  if (!client || !token || token.consumed || token.end || token.isExpired) return
  if (![token.clientId, token.bindingObject.mayAct?.clientId].includes(client.clientId)) return
  await endImpersonation(provider, token.jti, {}, ctx)
}

/** Whether the revocation endpoint has taken the request, and has found no token. */
function isWithoutToken(ctx: Context): ctx is Context & KoaContextWithOIDC {
  const oidc: KoaContextWithOIDC['oidc'] | undefined = ctx.oidc
  if (oidc?.route !== 'revocation' || ctx.status !== 200) return false
  const { AccessToken, ClientCredentials, RefreshToken } = oidc.entities
  return !AccessToken && !ClientCredentials && !RefreshToken
}
