import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { decodeJwt } from 'jose'
import { Browser } from '../../example-provider/demo/browser.ts'
import {
  type Answer,
  basic,
  exchange,
  postForm,
  postJson,
  send,
} from '../example-provider/support.ts'

export const WHY = { userId: 'alice', reason: 'Order lost', ticketId: 'SUP-1' }

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const get = (url: string, token: string): Promise<Answer> =>
  send(url, { headers: bearer(token) })

/** The answer to a sign-in to any of the public clients. */
export async function tokensOf(base: string, clientId: string, login: string): Promise<Answer> {
  const verifier = randomBytes(32).toString('base64url')
  const application = clientId === 'customer-account' ? 'account' : 'console'
  const redirectUri = `${base}/${application}/callback`
  const url = new URL(`${base}/oidc/auth`)
  url.search = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  const end = await new Browser(base).signIn(url, login, 'demo-password', redirectUri)
  return postForm(`${base}/oidc/token`, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: end.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
}

/** The access token of a customer at their account page. */
export async function signInToAccount(base: string, login: string): Promise<string> {
  const { body } = await tokensOf(base, 'customer-account', login)
  return String(body.access_token)
}

export async function machine(base: string): Promise<string> {
  const credentials = basic('support-backend', 'support-backend-secret')
  const { body } = await postForm(
    `${base}/oidc/token`,
    { grant_type: 'client_credentials' },
    credentials,
  )
  return String(body.access_token)
}

/** A token of the support backend for the management API. */
export async function machineForApi(base: string): Promise<string> {
  const { body } = await postForm(
    `${base}/oidc/token`,
    { grant_type: 'client_credentials', resource: `${base}/api`, scope: 'impersonate' },
    basic('support-backend', 'support-backend-secret'),
  )
  return String(body.access_token)
}

export interface Acting {
  readonly subjectToken: string
  readonly accessToken: string
  readonly jti: string
}

/** An operator acts as a customer. */
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
  return { subjectToken, accessToken, jti: String(decodeJwt(accessToken).jti) }
}

/** Ends it by its own token, as the console does. */
export const end = (base: string, accessToken: string): Promise<Answer> =>
  send(`${base}/oidc/impersonations/current/end`, {
    method: 'POST',
    headers: bearer(accessToken),
  })

export type Item = Record<string, unknown> & { readonly cursor: string; readonly event: string }

/** The entries of an answer. */
export function entriesOf({ status, body, text }: Answer): Item[] {
  expect(status, text).to.equal(200)
  expect(body).to.have.all.keys('entries', 'next')
  return body.entries as Item[]
}

export const eventsOf = (items: readonly Item[]) => items.map(({ event }) => event)

/** Server-sent events, as they come. */
export interface Followed extends AsyncDisposable {
  readonly response: Response
  readonly comments: readonly string[]
  /** Resolves with the next event that has not been taken, within five seconds. */
  next(): Promise<EventSourceMessage>
  /** Resolves when the server ends it. */
  readonly ended: Promise<void>
}

export async function followStream(url: string, token: string): Promise<Followed> {
  const controller = new AbortController()
  const response = await fetch(url, { headers: bearer(token), signal: controller.signal })
  const events: EventSourceMessage[] = []
  const comments: string[] = []
  let arrived = Promise.withResolvers<void>()
  const parser = createParser({
    onEvent: (event) => {
      events.push(event)
      arrived.resolve()
    },
    onComment: (comment) => comments.push(comment),
  })
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? [])
      parser.feed(decoder.decode(chunk, { stream: true }))
  }
  const ended = read()
  ended.catch(() => {})
  return {
    response,
    comments,
    ended,
    async next() {
      const timer = setTimeout(() => arrived.reject(new Error('no event came')), 5000)
      if (events.length === 0) await arrived.promise
      clearTimeout(timer)
      arrived = Promise.withResolvers()
      const event = events.shift()
      if (!event) throw new Error('no event came')
      return event
    },
    async [Symbol.asyncDispose]() {
      controller.abort()
      await ended.catch(() => {})
    },
  }
}
