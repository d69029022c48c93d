import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider-impersonation'
import { createAssets } from './page/assets.ts'
import { handOverPages } from './page/hand-over-page.ts'
import { accountPages, consolePages } from './page/pages.ts'
import type { Settings } from './settings.ts'
import { knownClient } from './sign-in/known-client.ts'

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

/** The pages, and what posts to applications. */
export function pages(provider: Provider, settings: Settings): Middleware[] {
  const { path, clientId, account, languages, applications } = settings
  const shared = { provider, languages, assets: createAssets(languages) }
  return [
    handOverPages({ ...shared, path, applications }),
    consolePages({ ...shared, path, clientId }),
    ...(account
      ? [accountPages({ ...shared, path: account.path, clientId: account.clientId })]
      : []),
  ]
}

/** The paths whose requests make entries. */
export function backPressurePaths(provider: Provider, { apis }: Settings) {
  const mountPath = new URL(provider.issuer).pathname.replace(/\/$/, '')
  return {
    token: provider.pathFor('token', { mountPath }),
    apis,
  }
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
