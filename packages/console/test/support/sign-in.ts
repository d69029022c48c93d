import { hash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider-impersonation'
import { isKnown } from './people.ts'

const VERIFIER = 'a-verifier-that-is-long-enough-for-pkce-0123456789'

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

export interface SignInOptions {
  /** @defaultValue 'support-console' */
  readonly clientId?: string
  /** @defaultValue 'openid profile email' */
  readonly scope?: string
  readonly resource?: string
  /** Headers of the token request, such as a DPoP proof. */
  readonly headers?: Record<string, string>
}

export interface SignedIn {
  readonly accessToken: string
  readonly idToken: string
  /** The header `Cookie` of the browser, at the provider. */
  readonly cookie: string
}

/** Signs a person in over HTTP, as a browser would. */
export async function signIn(
  provider: Provider,
  person: string,
  { clientId = 'support-console', scope = 'openid profile email', ...more }: SignInOptions = {},
): Promise<SignedIn> {
  const { issuer } = provider
  const redirect = (await provider.Client.find(clientId))?.redirectUris?.[0] ?? ''
  const jar = new Map<string, string>()
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const parameters = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirect,
    scope,
    login_hint: person,
    code_challenge: hash('sha256', VERIFIER, 'base64url'),
    code_challenge_method: 'S256',
    ...(more.resource === undefined ? {} : { resource: more.resource }),
  })
  let next = `${issuer}/auth?${parameters}`
  for (let hop = 0; hop < 8 && !next.startsWith(redirect); hop += 1) {
    const response = await fetch(next, { redirect: 'manual', headers: { cookie: cookie() } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const location = response.headers.get('location')
    if (!location) throw new Error(`sign-in stopped: ${response.status} ${await response.text()}`)
    next = new URL(location, issuer).href
  }
  const code = new URL(next).searchParams.get('code')
  if (!code) throw new Error(`no code: ${next}`)
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: more.headers ?? {},
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: redirect,
      code_verifier: VERIFIER,
      ...(more.resource === undefined ? {} : { resource: more.resource }),
    }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: the answer of the token endpoint.
  const body: any = await response.json()
  if (response.status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`)
  return { accessToken: body.access_token, idToken: body.id_token, cookie: cookie() }
}
