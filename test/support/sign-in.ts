import { hash } from 'node:crypto'
import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider'
import { Browser } from '../docs/browser-by-hand.ts'
import { REDIRECT_URI } from './clients.ts'
import type { Deployment } from './deployment.ts'
import { answerOf, urlencoded } from './http.ts'

const VERIFIER = 'a-verifier-that-is-long-enough-for-pkce-0123456789'

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
  /** A public one, unless `headers` authenticate it. */
  readonly clientId?: string | undefined
  readonly redirectUri?: string
  readonly scope?: string
  readonly resource?: string | undefined
  /** Headers of the token request: client authentication, DPoP. */
  readonly headers?: Record<string, string>
}

/** The answer of the token endpoint to a person who signed in through the real code flow. */
export interface SignedIn {
  access_token: string
  id_token?: string
  refresh_token?: string
  code: string
  /** The header `Cookie` of the browser. */
  cookie: string
}

/**
 * Signs a person in through the authorization endpoint, as a browser would: on a page that takes
 * the `login_hint`, or on those that oidc-provider has for development.
 */
export async function signIn(
  { issuer }: Pick<Provider, 'issuer'>,
  accountId: string,
  {
    clientId = 'console',
    redirectUri = REDIRECT_URI,
    scope = 'openid',
    resource,
    headers = {},
  }: SignInOptions = {},
): Promise<SignedIn> {
  const browser = new Browser()
  const isCallback = (url: string) => url.startsWith(redirectUri)
  const question = urlencoded({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
    login_hint: accountId,
    code_challenge: hash('sha256', VERIFIER, 'base64url'),
    code_challenge_method: 'S256',
    resource,
    prompt: scope.includes('offline_access') ? 'consent' : undefined,
  })
  let page = await browser.get(`${issuer}/auth?${question}`, isCallback)
  while (!isCallback(page.url)) {
    const { url, status, text } = page
    const [, prompt] = /name="prompt" value="(login|consent)"/.exec(text) ?? []
    if (!prompt) throw new Error(`the sign-in stopped: ${status} ${text}`)
    const [, action = url] = /<form[^>]* action="([^"]+)"/.exec(text) ?? []
    const { href, origin } = new URL(action, url)
    const form = { prompt, ...(prompt === 'login' && { login: accountId, password: 'any' }) }
    page = await browser.post(href, form, origin, isCallback)
  }
  const code = new URL(page.url).searchParams.get('code')
  if (!code) throw new Error(`the sign-in was refused: ${page.url}`)
  const form = urlencoded({
    grant_type: 'authorization_code',
    client_id: headers.authorization ? undefined : clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: VERIFIER,
    resource,
  })
  const asked = fetch(`${issuer}/token`, { method: 'POST', body: form, headers })
  const { status, body } = await answerOf(await asked, 'authorization_code')
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
