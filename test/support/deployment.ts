import { hash } from 'node:crypto'
import { createServer } from 'node:http'
import { expect } from 'chai'
import Koa from 'koa'
import mount from 'koa-mount'
import { ACCESS_TOKEN_TYPE, Provider, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { type DeploymentOptions, deploymentConfiguration } from './deployment-configuration.ts'
import {
  type Answer,
  answerOf,
  basic,
  expectAnswer,
  type Form,
  REFUSED,
  urlencoded,
} from './http.ts'
import { signIn, signInRoutes } from './sign-in.ts'
import { closed, listening } from './token-issuer.ts'

export { CLIENTS, REDIRECT_URI } from './clients.ts'
export { type DeploymentOptions, signingKey } from './deployment-configuration.ts'
export { type Answer, basic, type Form } from './http.ts'

/** A deployment of the plugin under test: one process, real HTTP, a free port. */
export interface Deployment extends AsyncDisposable {
  readonly base: string
  readonly issuer: string
  readonly provider: Provider
  readonly accounts: Set<string>
  /** Resource indicators: the management API, and a resource API that issues JWTs. */
  readonly management: string
  readonly orders: string
  /** Everything the provider reported as `server_error`. */
  readonly serverErrors: unknown[]
  expectNoErrors(): void
  post(path: string, form: Form, headers?: Record<string, string>): Promise<Answer>
  /** A machine-to-machine token for the management API. */
  m2mToken(form?: Form, client?: [id: string, secret: string]): Promise<string>
  /** `POST /api/subject-tokens` for alice, or with another body, and the given headers. */
  issue(
    body?: unknown,
    init?: { token?: string; headers?: Record<string, string> },
  ): Promise<Answer>
  /** The same for alice by this token. */
  issueBy(token: string): Promise<Answer>
  /** A fresh subject token, for alice by default. */
  subjectToken(request?: object): Promise<string>
  /** An exchange by the public client, of a fresh token by default; `undefined` leaves a field out. */
  exchange(form?: Form, headers?: Record<string, string>): Promise<Answer>
  /** Exchanges a subject token, and expects an access token. */
  redeem(subjectToken: string): Promise<Answer>
  /** Expects of a subject token the answer of every one that is not redeemable. */
  expectWorthless(subjectToken: string): Promise<Answer>
  /** Ends what runs for alice, and resolves how many ended. */
  endAll(): Promise<number>
  /** An opaque access token of an operator, who signs in. */
  actorToken(accountId?: string): Promise<string>
  /** An impersonated access token for alice, and the id of its impersonation. */
  impersonate(
    form?: Form,
    headers?: Record<string, string>,
  ): Promise<{ id: string; token: string; subjectToken: string }>
  /** The state of an impersonation, and its end, by its own token, or by other credentials. */
  current(credentials: Credentials): Promise<Answer>
  endCurrent(credentials: Credentials, body?: unknown): Promise<Answer>
  close(): Promise<void>
}

/** A bearer token, or headers. */
type Credentials = string | Record<string, string>

/** The paths where a deployment says how an impersonation stands, and where its own token ends it. */
export const CURRENT = '/oidc/impersonations/current'
export const END_CURRENT = `${CURRENT}/end`

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The id of the impersonation that a subject token is for. */
export const idOf = (subjectToken: string) => hash('sha256', subjectToken, 'base64url')

/**
 * @param copyOf the deployment of which this is another process: the same issuer and resources, at a
 * port of its own. What they share is the adapter that both are given.
 */
export async function deploy(
  options: DeploymentOptions = {},
  copyOf?: Deployment,
): Promise<Deployment> {
  // With the clock stopped, fetch would reuse a connection that the server has closed as idle.
  const server = createServer({ keepAliveTimeout: 0 })
  // The run ends also when a test fails before it closes the server, or a provider does not start.
  const base = await listening(server)
  const origin = copyOf?.base ?? base
  const issuer = `${origin}/oidc`
  const management = options.impersonation?.managementApi?.resource ?? `${origin}/api`
  const orders = `${origin}/orders`
  const accounts = options.accounts ?? new Set(['alice', 'bob', 'olivia'])
  const configuration = deploymentConfiguration(origin, accounts, options)
  const made = options.make?.(issuer, configuration) ?? new Provider(issuer, configuration)
  const provider = made as Provider
  const serverErrors: unknown[] = []
  provider.on('server_error', (_ctx, error) => serverErrors.push(error))

  const app = new Koa()
  app.keys = ['test']
  if (options.middleware) app.use(options.middleware)
  if (!options.make) app.use(provider.impersonation.routes())
  app.use(signInRoutes(provider))
  app.use(mount('/oidc', provider))
  server.on('request', app.callback())

  const deployment: Deployment = {
    base,
    issuer,
    provider,
    accounts,
    management,
    orders,
    serverErrors,
    async post(path, form, headers = {}) {
      return answerOf(
        await fetch(`${base}${path}`, { method: 'POST', body: urlencoded(form), headers }),
        form.grant_type,
      )
    },
    async m2mToken(form = {}, [id, secret] = ['backend', 'backend-secret']) {
      const { status, body } = await deployment.post(
        '/oidc/token',
        { grant_type: 'client_credentials', resource: management, scope: 'impersonate', ...form },
        basic(id, secret),
      )
      if (status !== 200) throw new Error(`no M2M token: ${JSON.stringify(body)}`)
      return body.access_token
    },
    async issue(body = { userId: 'alice' }, { token, headers = {} } = {}) {
      return answerOf(
        await fetch(`${base}/api/subject-tokens`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token ?? (await deployment.m2mToken())}`,
            'content-type': 'application/json',
            ...headers,
          },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      )
    },
    issueBy: (token) => deployment.issue(undefined, { token }),
    async subjectToken(request) {
      const { status, body } = await deployment.issue({ userId: 'alice', ...request })
      if (status !== 201) throw new Error(`no subject token: ${JSON.stringify(body)}`)
      return body.subjectToken
    },
    async exchange(form = {}, headers) {
      const subject_token = 'subject_token' in form ? '' : await deployment.subjectToken()
      return deployment.post(
        '/oidc/token',
        {
          grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
          ...(headers?.authorization ? {} : { client_id: 'console' }),
          subject_token,
          subject_token_type: ACCESS_TOKEN_TYPE,
          resource: orders,
          scope: 'orders:read',
          ...(form.actor_token === undefined ? {} : { actor_token_type: ACCESS_TOKEN_TYPE }),
          ...form,
        },
        headers,
      )
    },
    actorToken: async (accountId = 'olivia') => (await signIn(deployment, accountId)).access_token,
    expectNoErrors: () => void expect(serverErrors).to.deep.equal([]),
    endAll: () => provider.impersonation.endAll({ userId: 'alice' }),
    redeem: (subject_token) => expectAnswer(deployment.exchange({ subject_token }), 200),
    expectWorthless: (subject_token) =>
      expectAnswer(deployment.exchange({ subject_token }), 400, REFUSED),
    async impersonate(form = {}, headers) {
      const subjectToken = await deployment.subjectToken()
      const exchanged = await deployment.exchange({ subject_token: subjectToken, ...form }, headers)
      const { status, body } = exchanged
      if (status !== 200) throw new Error(`no access token: ${JSON.stringify(body)}`)
      return { id: idOf(subjectToken), token: body.access_token, subjectToken }
    },
    async current(credentials) {
      return answerOf(await fetch(base + CURRENT, { headers: headersOf(credentials) }))
    },
    async endCurrent(credentials, body) {
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const headers = { ...headersOf(credentials), ...type }
      const content = body === undefined ? null : JSON.stringify(body)
      return answerOf(await fetch(base + END_CURRENT, { method: 'POST', headers, body: content }))
    },
    close: () => closed(server),
    [Symbol.asyncDispose]: () => deployment.close(),
  }
  return deployment
}

const headersOf = (credentials: Credentials) =>
  typeof credentials === 'string' ? bearer(credentials) : credentials
