import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Context } from 'koa'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { publicUrl } from './public-url.ts'

/** The name of every route of this package, for `urlFor`: the URL that the caller used. */
const ROUTE = 'subject_tokens'

/** Gives the context what oidc-provider's own routes have, for `findAccount` and listeners. */
export function withOidc(provider: Provider, ctx: Context): KoaContextWithOIDC {
  const oidc = Object.assign(new provider.OIDCContext(ctx), {
    params: {},
    route: ROUTE,
  })
  const { urlFor } = oidc
  oidc.urlFor = (name, options) =>
    name === ROUTE ? publicUrl(ctx) : Reflect.apply(urlFor, oidc, [name, options])
  return Object.assign(ctx, { oidc })
}

/** A context for what happens outside a request. */
export function requestless(provider: Provider): Context {
  const request = new IncomingMessage(new Socket())
  return provider.createContext(request, new ServerResponse(request))
}
