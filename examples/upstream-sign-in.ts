import Router from '@koa/router'
import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider-impersonation'
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  type IDToken,
  randomPKCECodeVerifier,
} from 'openid-client'

export interface Upstream {
  /** Of `discovery(new URL(issuer), clientId, clientSecret)`: Okta, Entra ID, Keycloak, and others. */
  readonly configuration: Configuration
  /** The id of the person's account here, or `undefined` if the person may not sign in. */
  accountOf(claims: IDToken): Promise<string | undefined>
}

/** The sign-in page of a provider whose people sign in elsewhere: `interactions.url` is `/sign-in/{uid}`. */
export function upstreamSignIn(provider: Provider, upstream: Upstream): Middleware {
  const { configuration, accountOf } = upstream
  const router = new Router({ prefix: '/sign-in' })
  const redirectUri = new URL('/sign-in/callback', provider.issuer)
  const cookie = 'upstream-verifier'

  // The upstream knows one address. The cookies of a sign-in are for a path with its uid.
  router.get('/callback', async (ctx) => {
    const { state } = ctx.query
    if (typeof state !== 'string' || !/^[\w-]+$/.test(state)) ctx.throw(400, 'no such sign-in')
    ctx.redirect(`/sign-in/${state}/callback${ctx.search}`)
  })

  router.get('/:uid', async (ctx) => {
    const { uid, prompt } = await provider.interactionDetails(ctx.req, ctx.res)
    if (prompt.name !== 'login') ctx.throw(501, `there is no page for ${prompt.name}`)
    const verifier = randomPKCECodeVerifier()
    ctx.cookies.set(cookie, verifier, { path: `/sign-in/${uid}`, sameSite: 'lax', signed: false })
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri.href,
      scope: 'openid email',
      state: uid,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    ctx.redirect(url.href)
  })

  router.get('/:uid/callback', async (ctx) => {
    // The cookie of the interaction: the answer belongs to the browser that began.
    const { uid } = await provider.interactionDetails(ctx.req, ctx.res)
    const answer = new URL(redirectUri)
    answer.search = ctx.search
    const tokens = await authorizationCodeGrant(configuration, answer, {
      pkceCodeVerifier: ctx.cookies.get(cookie, { signed: false }) ?? '',
      expectedState: uid,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    const accountId = claims && (await accountOf(claims))
    const next = await provider.interactionResult(
      ctx.req,
      ctx.res,
      accountId === undefined ? { error: 'access_denied' } : { login: { accountId } },
      { mergeWithLastSubmission: false },
    )
    ctx.redirect(next)
  })

  return router.routes() as Middleware
}
