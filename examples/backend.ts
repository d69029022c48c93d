// The integrator's backend: `POST /support/impersonations`. It decides whether this operator may act
// as this customer, for what and for how long, and asks the management API for a subject token. It
// knows the provider by its URL alone, so it can be a process of its own. What it throws by
// `ctx.throw()` is answered by the application: `{ error, error_description }`.
import type { Context, Middleware } from 'koa'
import { koaBody } from 'koa-body'
import * as oauth from 'oauth4webapi'
import type { RecordRefusal } from 'oidc-provider-impersonation-console'
import { z } from 'zod'

export interface BackendOptions {
  /** The public origin of the provider, and the one at which it is reached from here. */
  readonly url: string
  readonly providerUrl: string
  /** A confidential client that may ask for subject tokens, and introspect all access tokens. */
  readonly clientId: string
  readonly clientSecret: string
  /** The applications from which the tokens of operators are accepted. */
  readonly operatorClients: readonly string[]
  readonly people: { find(id: string): { isStaff: boolean; isProtected: boolean } | undefined }
  /** Keeps what is refused here. Throws where one operator is refused too often. */
  readonly recordRefusal: RecordRefusal
}

/** A text that looks the same as its characters. */
const text = (most: number) => {
  const rule = `must have 1 to ${most} characters, and none that changes the direction of writing`
  const isPlain = `^(?=.*\\S)[^\\p{Cc}\\p{Cs}\\u202a-\\u202e\\u2066-\\u2069]{1,${most}}$`
  return z.string(rule).regex(new RegExp(isPlain, 'u'), rule)
}

const REQUEST_SHAPE = z.strictObject({
  userId: text(255),
  reason: text(500),
  ticketId: text(100),
  // Without a scope, the operator may only read.
  scope: z
    .string()
    .regex(/^orders:(?:read|write|read orders:write|write orders:read)$/)
    .default('orders:read'),
  // Seconds until the exchange, and for acting. The provider has upper limits of its own.
  expiresIn: z.int().positive().optional(),
  duration: z.int().min(30).max(600).optional(),
  // The application in which the operator acts. Without it, any application that can exchange.
  application: z.enum(['shop']).optional(),
})

export function supportBackend(options: BackendOptions): Middleware {
  const { people, recordRefusal, url } = options
  const { findOperator, issue } = connect(options)

  return async (ctx, next) => {
    if (ctx.path !== '/support/impersonations') return next()
    if (ctx.method !== 'POST')
      ctx.throw(405, 'only POST is allowed', { headers: { Allow: 'POST' } })
    const operator = await findOperator(ctx)
    const isStaff = people.find(operator)?.isStaff === true
    // A person who may not act learns nothing about the body. The record shows what was asked for.
    const request = await readRequest(ctx).catch((thrown): undefined => {
      if (isStaff) throw thrown
    })
    const { userId = '', scope, expiresIn, application, ...why } = request ?? {}
    const context = { ...why, supportEngineerId: operator }
    if (!isStaff || people.find(userId)?.isProtected) {
      const reason = isStaff ? 'this user is protected' : 'only support staff may act as a customer'
      const error = 'access_denied'
      const asked = request && { userId, scope, context }
      await recordRefusal({ operator, error, reason, request: asked })
      ctx.throw(403, reason, { error })
    }
    // Bound to this operator, in this application, to the orders API, and to these scopes at most.
    const mayAct = { sub: operator, clientId: application }
    const resource = `${url}/orders`
    ctx.body = await issue(ctx, { userId, context, mayAct, resource, scope, expiresIn })
    ctx.status = 201
  }
}

/**
 * Calls the provider for the backend: finds the operator of a token, and requests a subject token.
 */
function connect({ url, providerUrl, clientId, clientSecret, operatorClients }: BackendOptions) {
  const server = {
    issuer: `${url}/oidc`,
    token_endpoint: `${providerUrl}/oidc/token`,
    introspection_endpoint: `${providerUrl}/oidc/token/introspection`,
  }
  const client = { client_id: clientId }
  const secret = oauth.ClientSecretBasic(clientSecret)
  const signal = () => AbortSignal.timeout(5000)
  // `providerUrl` may be an address of this machine, without TLS.
  const http = { [oauth.allowInsecureRequests]: true, signal }

  /** The token of a person who signed in to an application for operators, and acts as no other. */
  const OPERATOR_SHAPE = z.object({
    active: z.literal(true),
    token_type: z.literal('Bearer'),
    sub: z.string(),
    client_id: z.enum(operatorClients),
    scope: z.string().regex(/(?:^| )openid(?: |$)/),
    aud: z.undefined().optional(),
    act: z.undefined().optional(),
  })

  async function introspect(token: string): Promise<unknown> {
    const answer = await oauth.introspectionRequest(server, client, secret, token, http)
    return oauth.processIntrospectionResponse(server, client, answer).catch((error) => {
      // oidc-provider does not introspect a JWT.
      if (error.error !== 'unsupported_token_type') throw error
    })
  }

  /** The backend's own token, for many requests. */
  let machine = { token: '', goodUntil: 0 }
  async function getMachineToken(): Promise<string> {
    if (Date.now() < machine.goodUntil) return machine.token
    const wanted = { resource: `${url}/api`, scope: 'impersonate' }
    const answer = await oauth.clientCredentialsGrantRequest(server, client, secret, wanted, http)
    const granted = await oauth.processClientCredentialsResponse(server, client, answer)
    const seconds = (granted.expires_in ?? 0) - 30
    machine = { token: granted.access_token, goodUntil: Date.now() + seconds * 1000 }
    return machine.token
  }

  async function requestToken(body: string): Promise<Response> {
    const authorization = `Bearer ${await getMachineToken()}`
    const headers = { authorization, 'content-type': 'application/json' }
    // Without redirects, the token goes to this address alone.
    const init = { method: 'POST', headers, body, redirect: 'manual', signal: signal() } as const
    return fetch(`${providerUrl}/api/subject-tokens`, init)
  }

  return {
    async findOperator(ctx: Context): Promise<string> {
      const [, scheme, token] =
        /^(bearer)(?:$| +(?:([\w.~+/-]+=*)$)?)/i.exec(ctx.get('Authorization')) ?? []
      const found = token && (await ask(ctx, introspect(token)))
      const { data } = OPERATOR_SHAPE.safeParse(found)
      if (data) return data.sub
      // RFC 6750 §3.1: without a token, the challenge has no error code.
      const error = scheme && 'invalid_token'
      const challenge = `Bearer realm="support"${error ? `, error="${error}"` : ''}`
      const headers = { 'WWW-Authenticate': challenge }
      return ctx.throw(401, 'an access token of an operator is required', { error, headers })
    },

    /** @returns the answer of the management API */
    async issue(ctx: Context, wanted: object): Promise<object> {
      const body = JSON.stringify(wanted)
      let answer = await ask(ctx, requestToken(body))
      if (answer.status === 401) {
        // The machine token was revoked, or the provider has new keys.
        machine.goodUntil = 0
        answer = await ask(ctx, requestToken(body))
      }
      const { status } = answer
      const { data } = ANSWER_SHAPE.safeParse(await answer.json().catch(() => undefined))
      if (status === 201 && data?.subjectToken) return data
      // Errors that concern the operator are passed on. A missing scope concerns the backend.
      const isPassedOn = [400, 403, 404, 429, 503].includes(status)
      if (!isPassedOn || !data?.error || data.error === 'insufficient_scope') {
        return ctx.throw(502, UNEXPECTED_ANSWER, {
          error: 'bad_gateway',
          cause: `${status} ${data?.error}`,
        })
      }
      const retryAfter = answer.headers.get('retry-after')
      if (retryAfter) ctx.set('Retry-After', retryAfter)
      return ctx.throw(status, data.error_description ?? '', { error: data.error })
    },
  }
}

const UNEXPECTED_ANSWER = 'the provider answered unexpectedly'
const ANSWER_SHAPE = z
  .object({
    subjectToken: z.string(),
    expiresIn: z.number(),
    error: z.string(),
    error_description: z.string(),
  })
  .partial()

/** An answer that breaks the rules is a 502. A provider that does not answer is a 503. */
function ask<T>(ctx: Context, request: Promise<T>): Promise<T> {
  return request.catch((cause) => {
    if (/^OAUTH_/.test(cause.code))
      ctx.throw(502, UNEXPECTED_ANSWER, { error: 'bad_gateway', cause })
    const error = 'temporarily_unavailable'
    return ctx.throw(503, 'the provider cannot be reached', { error, cause })
  })
}

const parse = koaBody({
  jsonLimit: 16_384,
  multipart: false,
  text: false,
  urlencoded: false,
  onError(error, ctx) {
    const status = 'status' in error ? Number(error.status) : 400
    ctx.throw(status, 'the body must be JSON of at most 16 KiB')
  },
})

async function readRequest(ctx: Context): Promise<z.infer<typeof REQUEST_SHAPE>> {
  if (!ctx.is('application/json')) ctx.throw(415, 'Content-Type must be application/json')
  // koa-body inflates a body, and one that is broken in the right place ends the process.
  if (ctx.get('Content-Encoding')) ctx.throw(415, 'Content-Encoding is not supported')
  await parse(ctx, async () => {})
  const { data, error } = REQUEST_SHAPE.safeParse(ctx.request.body)
  if (data) return data
  const [issue] = error.issues
  return ctx.throw(400, [...(issue?.path ?? []), issue?.message].join(' '))
}
