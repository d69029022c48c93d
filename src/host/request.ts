// lib/helpers/als: the provider's models and helpers find the request there, and nowhere else.
import type { KoaContextWithOIDC } from 'oidc-provider'
import als from 'oidc-provider/lib/helpers/als.js'

/** Runs `callback` as oidc-provider runs its own routes: `Provider.ctx` is `ctx` inside. */
export function runInRequest<T>(ctx: object, callback: () => T): T {
  return als.run(ctx, callback)
}

/** The context of the request that the provider answers right now, if it does. */
export function currentRequest(): KoaContextWithOIDC | undefined {
  const ctx: unknown = als.getStore()
  return isRequest(ctx) ? ctx : undefined
}

function isRequest(ctx: unknown): ctx is KoaContextWithOIDC {
  return typeof ctx === 'object' && ctx !== null && 'oidc' in ctx
}
