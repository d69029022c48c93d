import { Browser, type Page } from '../docs/browser-by-hand.ts'
import { CHALLENGE, VERIFIER } from './sign-in.ts'

const REDIRECT_URI = 'https://console.example.com/callback'
const isCallback = (url: string) => url.startsWith(REDIRECT_URI)

/**
 * The access token of a person who signs in at a client, on the pages that
 * oidc-provider has for development, wherever the issuer sends the browser: with the scope
 * `openid`, or for a resource.
 */
export async function signInAt(
  issuer: string,
  accountId: string,
  resource?: string,
  clientId = 'console',
): Promise<string> {
  const browser = new Browser()
  const question = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: resource ? 'openid orders:read' : 'openid',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...(resource && { resource }),
  })
  let page = await browser.get(`${issuer}/auth?${question}`, isCallback)
  while (!isCallback(page.url)) page = await answer(browser, page, accountId)
  const { searchParams } = new URL(page.url)
  const code = searchParams.get('code')
  if (!code) throw new Error(`the sign-in was refused: ${searchParams}`)
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...(resource && { resource }),
  })
  const { text } = await browser.send(`${issuer}/token`, { method: 'POST', body })
  const { access_token: accessToken, ...rest } = JSON.parse(text)
  if (!accessToken) throw new Error(`no access token: ${JSON.stringify(rest)}`)
  return accessToken
}

/** Submits the form of a page: the sign-in, or the consent. */
function answer(browser: Browser, { url, status, text }: Page, login: string): Promise<Page> {
  const [, prompt] = /name="prompt" value="(login|consent)"/.exec(text) ?? []
  if (!prompt) throw new Error(`the sign-in stopped: ${status} ${text}`)
  const [, action = url] = /<form[^>]* action="([^"]+)"/.exec(text) ?? []
  const { href, origin } = new URL(action, url)
  const form = { prompt, ...(prompt === 'login' && { login, password: 'any' }) }
  return browser.post(href, form, origin, isCallback)
}
