import { hash } from 'node:crypto'
import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider'
import { Browser } from '../docs/browser-by-hand.ts'
import { REDIRECT_URI } from './clients.ts'
import type { Deployment } from './deployment.ts'

export const VERIFIER = 'a-verifier-that-is-long-enough-for-pkce-0123456789'
export const CHALLENGE = hash('sha256', VERIFIER, 'base64url')

/** A sign-in page that accepts the `login_hint` without a password. */
export function signInRoutes(provider: Provider): Middleware {
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next()
    const { params } = await provider.interactionDetails(ctx.req, ctx.res)
    ctx.respond = false
    await provider.interactionFinished(ctx.req, ctx.res, {
      login: { accountId: String(params.login_hint) },
      consent: {},
    })
  }
}

export interface SignInOptions {
  clientId?: string
  scope?: string
  resource?: string
  /** Headers of the token request: client authentication, DPoP. */
  headers?: Record<string, string>
}

/** What the token endpoint answered to a person who signed in through the real code flow. */
export interface SignedIn {
  access_token: string
  id_token?: string
  refresh_token?: string
  code: string
  /** The header `Cookie` of the browser. */
  cookie: string
}

/** Signs a person in through the authorization endpoint, as a browser would. */
export async function signIn(
  deployment: Pick<Deployment, 'base' | 'issuer' | 'post'>,
  accountId: string,
  { clientId = 'console', scope = 'openid', resource, headers }: SignInOptions = {},
): Promise<SignedIn> {
  const browser = new Browser()
  const parameters = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope,
    login_hint: accountId,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...(resource ? { resource } : {}),
    ...(scope.includes('offline_access') ? { prompt: 'consent' } : {}),
  })
  const { issuer } = deployment
  const page = await browser.get(`${issuer}/auth?${parameters}`, (url) =>
    url.startsWith(REDIRECT_URI),
  )
  const code = new URL(page.url).searchParams.get('code')
  if (!code) throw new Error(`no code: ${page.url} ${page.status} ${page.text}`)
  const { status, body } = await deployment.post(
    '/oidc/token',
    {
      grant_type: 'authorization_code',
      ...(headers?.authorization ? {} : { client_id: clientId }),
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
      resource,
    },
    headers,
  )
  if (status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`)
  return { ...body, code, cookie: browser.cookies(new URL(issuer).origin) }
}

type SignedInBrowser = Pick<SignedIn, 'cookie'>

/** Signs a person out of the provider as a browser does: the page with the question, the answer. */
export const signOutOfProvider = (at: Pick<Deployment, 'issuer'>, browser: SignedInBrowser) =>
  answerSignOut(at, browser, {}, { logout: 'yes' })

/** The same, and the person answers to stay signed in at the provider: signed out of the client alone. */
export const signOutOfClient = (
  at: Pick<Deployment, 'issuer'>,
  browser: SignedInBrowser,
  client: string,
) => answerSignOut(at, browser, { client_id: client }, {})

async function answerSignOut(
  { issuer }: Pick<Deployment, 'issuer'>,
  { cookie }: SignedInBrowser,
  question: Record<string, string>,
  yes: Record<string, string>,
): Promise<void> {
  const page = await fetch(`${issuer}/session/end?${new URLSearchParams(question)}`, {
    headers: { cookie },
  })
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(await page.text()) ?? []
  const answer = await fetch(`${issuer}/session/end/confirm`, {
    method: 'POST',
    body: new URLSearchParams({ xsrf, ...yes }),
    headers: { cookie },
    redirect: 'manual',
  })
  if (answer.status !== 303) throw new Error(`not signed out: ${answer.status}`)
}
