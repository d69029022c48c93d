import { text } from 'node:stream/consumers'
import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider-impersonation'
import {
  type SignInOptions as AnySignInOptions,
  signIn as signInAt,
} from '../../../../test/support/sign-in.ts'
import { isKnown } from './people.ts'

/**
 * A sign-in page without passwords: a person types a login. Where the request has a `login_hint`,
 * there is nothing to type.
 */
export function signInPage(provider: Provider): Middleware {
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/sign-in/')) return next()
    const { params } = await provider.interactionDetails(ctx.req, ctx.res)
    const login =
      ctx.method === 'POST'
        ? (new URLSearchParams(await text(ctx.req)).get('login') ?? '').trim()
        : params.login_hint
    if (typeof login === 'string' && isKnown(login)) {
      ctx.respond = false
      await provider.interactionFinished(ctx.req, ctx.res, {
        login: { accountId: login },
      })
      return
    }
    ctx.type = 'html'
    ctx.body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in</title><link rel="icon" href="data:,"></head>
<body><main><h1>Sign in</h1>
<form method="post"><label>Login <input name="login" autofocus autocomplete="off"></label>
<button>Sign in</button></form></main></body></html>`
  }
}

export type SignInOptions = Omit<AnySignInOptions, 'redirectUri'>

export interface SignedIn {
  readonly accessToken: string
  readonly idToken: string
  /** The header `Cookie` of the browser, at the provider. */
  readonly cookie: string
}

/** Signs a person in over HTTP, as a browser would, at the client's first address. */
export async function signIn(provider: Provider, person: string, how: SignInOptions = {}) {
  const { clientId = 'support-console' } = how
  const redirectUri = (await provider.Client.find(clientId))?.redirectUris?.[0] ?? ''
  const {
    access_token: accessToken,
    id_token: idToken = '',
    cookie,
  } = await signInAt(provider, person, {
    scope: 'openid profile email',
    ...how,
    clientId,
    redirectUri,
  })
  return { accessToken, idToken, cookie }
}
