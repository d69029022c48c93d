import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider'
import type { Deployment } from './deployment.ts'

const VERIFIER = 'a-verifier-that-is-long-enough-for-pkce-0123456789'
const CHALLENGE = await challengeOf(VERIFIER)

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
  const jar = new Map<string, string>()
  const parameters = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: 'https://app.example.com/callback',
    scope,
    login_hint: accountId,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...(resource ? { resource } : {}),
    ...(scope.includes('offline_access') ? { prompt: 'consent' } : {}),
  })
  let url = `${deployment.issuer}/auth?${parameters}`
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  for (let hop = 0; hop < 8; hop += 1) {
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: cookies() } })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(name, value)
    }
    const location = response.headers.get('location')
    if (!location) throw new Error(`sign-in stopped: ${response.status} ${await response.text()}`)
    url = new URL(location, deployment.base).href
    if (url.startsWith('https://app.example.com/')) break
  }
  const code = new URL(url).searchParams.get('code')
  if (!code) throw new Error(`no code: ${url}`)
  const { status, body } = await deployment.post(
    '/oidc/token',
    {
      grant_type: 'authorization_code',
      ...(headers?.authorization ? {} : { client_id: clientId }),
      code,
      redirect_uri: 'https://app.example.com/callback',
      code_verifier: VERIFIER,
      resource,
    },
    headers,
  )
  if (status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`)
  return { ...body, code, cookie: cookies() }
}

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return Buffer.from(digest).toString('base64url')
}

type Browser = Pick<SignedIn, 'cookie'>

/** Signs a person out of the provider as a browser does: the page with the question, the answer. */
export const signOutOfProvider = (at: Pick<Deployment, 'issuer'>, browser: Browser) =>
  answerSignOut(at, browser, {}, { logout: 'yes' })

/** The same, and the person answers to stay signed in at the provider: signed out of the client alone. */
export const signOutOfClient = (at: Pick<Deployment, 'issuer'>, browser: Browser, client: string) =>
  answerSignOut(at, browser, { client_id: client }, {})

async function answerSignOut(
  { issuer }: Pick<Deployment, 'issuer'>,
  { cookie }: Browser,
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
