import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Context } from 'koa'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { urlAt } from './sibling-urls.ts'

/** The name of every route of this package, for `urlFor`. */
const ROUTE_NAME = 'subject_tokens'

/**
 * Gives the context what oidc-provider's own routes have, for `findAccount` and listeners.
 *
 * @param url the address of the route, which the `htu` of a DPoP proof is compared with (RFC 9449
 * §4.3). By default, the path that the caller used at the issuer's origin: who sends `Host` may have
 * the proof from a server of that name
 */
export function withOidc(
  provider: Provider,
  ctx: Context,
  url = () => urlAt(provider.issuer, ctx),
): KoaContextWithOIDC {
  const oidc = Object.assign(new provider.OIDCContext(ctx), {
    params: {},
    route: ROUTE_NAME,
  })
  const { urlFor } = oidc
  oidc.urlFor = (name, options) =>
    name === ROUTE_NAME ? url() : Reflect.apply(urlFor, oidc, [name, options])
  return Object.assign(ctx, { oidc })
}

/** A context for what happens outside a request. */
export function requestless(provider: Provider): Context {
  const request = new IncomingMessage(new Socket())
  return provider.createContext(request, new ServerResponse(request))
}
