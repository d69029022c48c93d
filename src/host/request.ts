// lib/helpers/als: the provider's models and helpers find the request there, and nowhere else.
// lib/shared/cors: the token endpoint's own response to other origins, with clientBasedCORS.
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'koa'
import type { Account, KoaContextWithOIDC, Provider } from 'oidc-provider'
import als from 'oidc-provider/lib/helpers/als.js'
import cors from 'oidc-provider/lib/shared/cors.js'
import { findAccount } from './grants.ts'
import { configurationOf } from './instance.ts'

/** The name of every route of this package, for `urlFor`. */
const ROUTE_NAME = 'subject_tokens'

/** The context of the current request, if there is one. */
export function currentRequest(): KoaContextWithOIDC | undefined {
  return als.getStore()
}

/**
 * Runs `callback` as oidc-provider runs its own routes: its context has the members of those, and
 * is `Provider.ctx` inside.
 *
 * @param url - the address of the route, with which the `htu` of a DPoP proof is compared (RFC
 * 9449 §4.3). By default, it is the path that the caller used at the issuer's origin, because a
 * caller that sends another `Host` may have the proof from a server of that name.
 */
export function runInRequest<T>(
  provider: Provider,
  ctx: Context,
  callback: (ctx: KoaContextWithOIDC) => T,
  url = () => new URL(provider.issuer).origin + pathOf(ctx),
): T {
  const oidc = Object.assign(new provider.OIDCContext(ctx), { params: {}, route: ROUTE_NAME })
  const { urlFor } = oidc
  oidc.urlFor = (name, options) =>
    name === ROUTE_NAME ? url() : Reflect.apply(urlFor, oidc, [name, options])
  const oidcCtx = Object.assign(ctx, { oidc })
  return als.run(oidcCtx, callback, oidcCtx)
}

/** Creates a context for work outside a request, without a header or an address of a caller. */
export function requestless(provider: Provider): Context {
  // The members of a request that Koa reads.
  const request = { headers: {}, method: 'GET', socket: {}, url: '/' } as IncomingMessage
  return provider.createContext(request, new ServerResponse(request))
}

/**
 * Finds the account with this id, by `findAccount` of the provider's configuration; `undefined` if
 * the provider has no such account.
 *
 * @param ctx - the current request, for a `findAccount` that reads it
 */
export async function findAccountById(
  provider: Provider,
  accountId: string,
  ctx?: Context,
): Promise<Account | undefined> {
  return runInRequest(provider, ctx ?? requestless(provider), (oidcCtx) =>
    findAccount(provider, oidcCtx, accountId),
  )
}

/**
 * Returns the path that the caller used, before any mount changed it. It is not parsed, because
 * that would take a twentieth of an issue.
 */
function pathOf(ctx: Context): string {
  // Express and similar frameworks keep the path before their mounts here, Koa in its own context.
  const target = 'originalUrl' in ctx.req ? String(ctx.req.originalUrl) : ctx.originalUrl
  // RFC 9112 §3.2.2: the target of a request may be a whole URL.
  const [path = ''] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)
  return path
}

/**
 * Handles CORS as the token endpoint does. It calls the deployment's `clientBasedCORS` once the
 * context has its `Client` entity.
 */
export function tokenEndpointCors(allowMethods: 'GET' | 'POST') {
  const exposeHeaders = ({ oidc }: KoaContextWithOIDC) => {
    const dPoP = configurationOf(oidc.provider).features?.dPoP
    return dPoP?.enabled && dPoP.nonceSecret
      ? ['DPoP-Nonce', 'WWW-Authenticate']
      : ['WWW-Authenticate']
  }
  return cors({ allowMethods, clientBased: true, exposeHeaders, maxAge: 3600 })
}
