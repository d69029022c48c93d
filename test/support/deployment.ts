import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Koa from 'koa'
import mount from 'koa-mount'
import { type ClientMetadata, type Configuration, errors } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import {
  ACCESS_TOKEN_TYPE,
  type ImpersonationOptions,
  Provider,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from '../../src/index.ts'
import { signInRoutes } from './sign-in.ts'

/** A key pair made once for the whole run; tests that need others make their own. */
export const signingKey: JWK = {
  ...(await exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey)),
  kid: 'test',
  alg: 'ES256',
  use: 'sig',
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any
}

type Features = Pick<
  NonNullable<Configuration['features']>,
  'dPoP' | 'mTLS' | 'registration' | 'resourceIndicators' | 'clientCredentials'
>

export interface DeploymentOptions {
  impersonation?: Partial<ImpersonationOptions> | undefined
  configuration?: Omit<Configuration, 'features'> & { features?: Features }
  clients?: ClientMetadata[] | undefined
  /** Accounts that exist; tests may change the set at any time. */
  accounts?: Set<string>
  resources?: Record<string, object> | undefined
}

export const REDIRECT_URI = 'https://app.example.com/callback'

const user = { redirect_uris: [REDIRECT_URI], response_types: ['code'] as const }
const machine = { redirect_uris: [], response_types: [] }

/** The clients every test deployment has. */
export const CLIENTS: ClientMetadata[] = [
  {
    ...machine,
    client_id: 'backend',
    client_secret: 'backend-secret',
    grant_types: ['client_credentials'],
  },
  {
    ...user,
    client_id: 'console',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE_GRANT_TYPE],
  },
  {
    ...user,
    client_id: 'web',
    client_secret: 'web-secret',
    grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
  },
  {
    ...user,
    client_id: 'plain',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
  },
]

/** A deployment of the plugin under test: one process, real HTTP, a free port. */
export interface Deployment {
  readonly base: string
  readonly issuer: string
  readonly provider: Provider
  readonly accounts: Set<string>
  /** Resource indicators: the management API, and a resource API that issues JWTs. */
  readonly management: string
  readonly orders: string
  /** Everything the provider reported as `server_error`. */
  readonly serverErrors: unknown[]
  post(path: string, form: Form, headers?: Record<string, string>): Promise<Answer>
  /** A machine-to-machine token for the management API. */
  m2mToken(form?: Form, client?: [id: string, secret: string]): Promise<string>
  /** `POST /api/subject-tokens` with whatever body and headers. */
  issue(body: unknown, init?: { token?: string; headers?: Record<string, string> }): Promise<Answer>
  /** A fresh subject token for a user. */
  subjectToken(userId?: string, context?: object): Promise<string>
  /** An exchange by the public client; `undefined` leaves a field out. */
  exchange(form: Form, headers?: Record<string, string>): Promise<Answer>
  close(): Promise<void>
}

export type Form = Record<string, string | string[] | undefined>

export async function deploy(options: DeploymentOptions = {}): Promise<Deployment> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const base = `http://127.0.0.1:${port}`
  const issuer = `${base}/oidc`
  const management = `${base}/api`
  const orders = `${base}/orders`
  const accounts = options.accounts ?? new Set(['alice', 'bob', 'olivia'])
  const resources: Record<string, object> = {
    [orders]: {
      scope: 'openid orders:read orders:write',
      accessTokenFormat: 'jwt',
      accessTokenTTL: 900,
      jwt: { sign: { alg: 'ES256' } },
    },
    [`${base}/opaque`]: { scope: 'openid orders:read', accessTokenFormat: 'opaque' },
    ...options.resources,
  }
  const { configuration = {}, clients = [] } = options
  const provider = new Provider(issuer, {
    adapter: createMemoryAdapter(),
    jwks: { keys: [signingKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: { keys: ['test'] },
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? 3600,
      Grant: 3600,
      IdToken: 3600,
      ClientCredentials: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? 600,
      Interaction: 3600,
      Session: 3600,
      RefreshToken: 3600,
    },
    findAccount: (_ctx, sub) =>
      accounts.has(sub) ? { accountId: sub, claims: () => ({ sub }) } : undefined,
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    async loadExistingGrant(ctx) {
      const { client, session, params } = ctx.oidc
      const grant = new ctx.oidc.provider.Grant({
        clientId: client?.clientId,
        accountId: session?.accountId,
      })
      grant.addOIDCScope('openid offline_access')
      if (typeof params?.resource === 'string') {
        grant.addResourceScope(params.resource, String(params.scope))
      }
      await grant.save()
      return grant
    },
    ...configuration,
    clients: [...CLIENTS, ...clients],
    features: {
      ...configuration.features,
      devInteractions: { enabled: false },
      introspection: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        getResourceServerInfo(_ctx, resource) {
          const info = resources[resource]
          if (!info) throw new errors.InvalidTarget()
          return { scope: '', ...info }
        },
        ...configuration.features?.resourceIndicators,
      },
      impersonation: {
        enabled: true,
        managementApi: { resource: management },
        ...options.impersonation,
      },
    },
  })
  const serverErrors: unknown[] = []
  provider.on('server_error', (_ctx, error) => serverErrors.push(error))

  const app = new Koa()
  app.keys = ['test']
  app.use(provider.impersonation.routes())
  app.use(signInRoutes(provider))
  app.use(mount('/oidc', provider))
  server.on('request', app.callback())
  // A test that fails before it closes must not keep the run alive.
  server.unref()

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
    async issue(body, { token, headers = {} } = {}) {
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
    async subjectToken(userId = 'alice', context) {
      const { status, body } = await deployment.issue({ userId, ...(context ? { context } : {}) })
      if (status !== 201) throw new Error(`no subject token: ${JSON.stringify(body)}`)
      return body.subjectToken
    },
    exchange(form, headers) {
      return deployment.post(
        '/oidc/token',
        {
          grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
          ...(headers?.authorization ? {} : { client_id: 'console' }),
          subject_token_type: ACCESS_TOKEN_TYPE,
          resource: orders,
          scope: 'orders:read',
          ...(form.actor_token === undefined ? {} : { actor_token_type: ACCESS_TOKEN_TYPE }),
          ...form,
        },
        headers,
      )
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return deployment
}

export function basic(id: string, secret: string): { authorization: string } {
  return { authorization: `Basic ${btoa(`${id}:${secret}`)}` }
}

function urlencoded(form: Form): URLSearchParams {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) body.append(name, one)
    }
  }
  return body
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json')
  return {
    status: response.status,
    headers: response.headers,
    body: json ? JSON.parse(text) : text,
  }
}
