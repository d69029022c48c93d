import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider-impersonation'
import type { Settings } from './web/settings.ts'
import { knownClient } from './web/sign-in/known-client.ts'

/** For the path of each page, whether the provider knows its client. */
export function clientChecks(provider: Provider, { url, path, clientId, account }: Settings) {
  const all = [
    { at: 'options.clientId', path, clientId, make: 'supportConsoleClient' },
    ...(account
      ? [{ ...account, at: 'options.account.clientId', make: 'customerAccountClient' }]
      : []),
  ]
  return all.map((page) => ({
    at: page.path,
    check: knownClient(provider, { ...page, redirectUri: `${url}${page.path}/callback` }),
  }))
}

/** Runs only for the page at this path, and what is below it. */
export function below(path: string, ...all: readonly Middleware[]): Middleware {
  const answer = inOrder(...all)
  return (ctx, next) =>
    ctx.path === path || ctx.path.startsWith(`${path}/`) ? answer(ctx, next) : next()
}

export function inOrder(...all: readonly Middleware[]): Middleware {
  return (ctx, next) =>
    all.reduceRight<() => Promise<unknown>>((then, one) => async () => one(ctx, then), next)()
}
