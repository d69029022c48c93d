// lib/helpers/als: the provider's models and helpers find the request there, and nowhere else.
import als from 'oidc-provider/lib/helpers/als.js'

/** Runs `callback` as oidc-provider runs its own routes: `Provider.ctx` is `ctx` inside. */
export function runInRequest<T>(ctx: object, callback: () => T): T {
  return als.run(ctx, callback)
}
