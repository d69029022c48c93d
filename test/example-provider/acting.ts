import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { Browser } from '../../example-provider/demo/browser.ts'
import { type Answer, exchange, postForm, postJson, send } from './support.ts'

export const WHY = { userId: 'alice', reason: 'Order lost', ticketId: 'SUP-1' }

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const get = (url: string, token: string): Promise<Answer> =>
  send(url, { headers: bearer(token) })

/** A sign-in that a page begins: the address, where it leads back, and what exchanges its code. */
export function signInOf(base: string, clientId: 'customer-account' | 'support-console') {
  const verifier = randomBytes(32).toString('base64url')
  const redirectUri = `${base}/${clientId === 'customer-account' ? 'account' : 'console'}/callback`
  const url = new URL(`${base}/oidc/auth`)
  url.search = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  const tokens = (end: URL): Promise<Answer> =>
    postForm(`${base}/oidc/token`, {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: end.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
  return { url, redirectUri, tokens }
}

/** The answer to a sign-in to one of the pages of the console. */
export async function tokensOf(
  base: string,
  clientId: 'customer-account' | 'support-console',
  login: string,
): Promise<Answer> {
  const { url, redirectUri, tokens } = signInOf(base, clientId)
  return tokens(await new Browser(base).signIn(url, login, 'demo-password', redirectUri))
}

export interface Acting {
  readonly subjectToken: string
  readonly accessToken: string
  /** The id of the impersonation. */
  readonly id: string
}

/** An operator acts as a customer, by the support backend. */
export async function act(
  base: string,
  operator: string,
  request: object = WHY,
  scope = 'orders:read',
): Promise<Acting> {
  const issued = await postJson(`${base}/support/impersonations`, request, operator)
  expect(issued.status, issued.text).to.equal(201)
  const subjectToken = String(issued.body.subjectToken)
  const exchanged = await exchange(base, subjectToken, operator, { scope })
  expect(exchanged.status, exchanged.text).to.equal(200)
  const accessToken = String(exchanged.body.access_token)
  const id = String(decodeJwt(accessToken).jti).slice('impersonation:'.length)
  return { subjectToken, accessToken, id }
}

/** Ends it by its own token, as an application does. */
export const end = (base: string, accessToken: string): Promise<Answer> =>
  send(`${base}/oidc/impersonations/current/end`, { method: 'POST', headers: bearer(accessToken) })
