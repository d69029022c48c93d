import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JWK } from 'jose'
import Koa from 'koa'
import mount from 'koa-mount'
import type { Configuration } from 'oidc-provider'
import {
  type ManagementApiOptions,
  Provider,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { deploymentConfiguration } from '../../../../test/support/deployment-configuration.ts'
import { dpopKey } from '../../../../test/support/dpop.ts'
import { type Answer, answerOf, type Form, urlencoded } from '../../../../test/support/http.ts'
import { signIn, signInRoutes } from '../../../../test/support/sign-in.ts'

const PEOPLE = ['alice', 'bob', 'dana', 'grace', 'olivia', 'oscar']

/** A provider with this package, that claims every part of the profile. */
export interface Deployed extends AsyncDisposable {
  readonly issuer: string
  readonly base: string
  /** What a person writes into the configuration file of the suite. */
  readonly configuration: object
  readonly actorTokens: ActorTokens
}

/** Access tokens of olivia, one that is good and others that are no actor tokens, and of oscar. */
export interface ActorTokens {
  readonly good: string
  readonly withoutScope: string
  readonly revoked: string
  readonly bound: string
  readonly other: string
}

export interface ServeOptions {
  /** @defaultValue memory */
  readonly adapter?: NonNullable<Configuration['adapter']>
  /** Stands between the server and the provider, and may spoil what goes through. */
  readonly front?: (provider: RequestListener) => RequestListener
  /** What every subject token has to be bound to. */
  readonly requireBinding?: ManagementApiOptions['requireBinding']
  /** The origin of the issuer, and its key: where this is another process of it. */
  readonly of?: { readonly base: string; readonly key: JWK }
}

/** One process of the provider, on a free port. */
export async function serve({
  adapter = createMemoryAdapter(),
  front = (provider) => provider,
  requireBinding,
  of,
}: ServeOptions = {}) {
  const server = createServer()
  const origin = await listen(server)
  const base = of?.base ?? origin
  const issuer = `${base}/oidc`
  const jwt = { accessTokenFormat: 'jwt', accessTokenTTL: 900, jwt: { sign: { alg: 'ES256' } } }
  const provider = new Provider(
    issuer,
    deploymentConfiguration(base, new Set(PEOPLE), {
      clients: [
        {
          client_id: 'copilot',
          client_secret: 'copilot-secret',
          grant_types: [TOKEN_EXCHANGE_GRANT_TYPE],
          redirect_uris: [],
          response_types: [],
        },
      ],
      resources: { [`${base}/invoices`]: { scope: 'orders:read orders:write', ...jwt } },
      configuration: {
        adapter,
        features: { dPoP: { enabled: true } },
        ...(of && { jwks: { keys: [of.key] } }),
      },
      impersonation: {
        softwareActors: ['copilot'],
        managementApi: {
          resource: `${base}/api`,
          clients: { issue: ['backend'], read: ['backend'], end: ['backend'] },
          requireBinding,
        },
        authorize({ account, stage }) {
          if (account.accountId === 'grace') return false
          return account.accountId === 'dana' && stage === 'issue'
            ? { needs: ['second_person'] }
            : true
        },
      },
    }),
  )
  const app = new Koa()
  app.keys = ['test']
  provider.proxy = true
  app.proxy = true
  app.use(provider.impersonation.routes())
  app.use(signInRoutes(provider))
  app.use(mount('/oidc', provider))
  server.on('request', front(app.callback()))
  return {
    ...{ origin, base, issuer },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** A provider, and two operators who have signed in. */
export async function deployForSuite(options: ServeOptions = {}): Promise<Deployed> {
  const { base, issuer, close } = await serve(options)
  const at = {
    base,
    issuer,
    post: async (path: string, form: Form, headers: Record<string, string> = {}) =>
      answerOf(await fetch(`${base}${path}`, { method: 'POST', body: urlencoded(form), headers })),
  }
  const actorTokens = await actorTokensAt(at)
  return {
    issuer,
    base,
    actorTokens,
    configuration: {
      issue: {
        url: `${base}/api/subject-tokens`,
        client: { id: 'backend', secret: 'backend-secret' },
        token: { resource: `${base}/api`, scope: 'impersonate' },
      },
      user: 'alice',
      refusedUser: 'grace',
      approval: { user: 'dana' },
      exchange: {
        client: { id: 'console' },
        otherClient: { id: 'web', secret: 'web-secret' },
        clientWithoutGrant: { id: 'plain' },
        software: { id: 'copilot', secret: 'copilot-secret' },
        resource: `${base}/orders`,
        otherResource: `${base}/invoices`,
        opaqueResource: `${base}/opaque`,
        scope: 'orders:read',
        otherScope: 'orders:write',
      },
      operator: {
        sub: 'olivia',
        token: actorTokens.good,
        withoutScope: actorTokens.withoutScope,
        revoked: actorTokens.revoked,
        bound: actorTokens.bound,
      },
      otherOperator: { sub: 'oscar', token: actorTokens.other },
      management: {
        url: `${base}/api/impersonations`,
        readScope: 'impersonations:read',
        endScope: 'impersonations:end',
      },
      introspection: { client: { id: 'backend', secret: 'backend-secret' } },
    },
    [Symbol.asyncDispose]: close,
  }
}

async function actorTokensAt(
  at: Parameters<typeof signIn>[0] & { post(path: string, form: Form): Promise<Answer> },
): Promise<ActorTokens> {
  const resource = `${at.base}/orders`
  const key = await dpopKey()
  const dpop = await key.proof({ htu: `${at.issuer}/token` })
  const [good, plain, gone, bound, other] = [
    await signIn(at, 'olivia'),
    await signIn(at, 'olivia', { scope: 'orders:read', resource }),
    await signIn(at, 'olivia', { scope: 'openid offline_access' }),
    await signIn(at, 'olivia', { headers: { dpop } }),
    await signIn(at, 'oscar'),
  ]
  // The revocation of a refresh token revokes the grant.
  const token = gone.refresh_token
  const revoked = await at.post('/oidc/token/revocation', { token, client_id: 'console' })
  if (token === undefined || revoked.status !== 200) throw new Error('no grant was revoked')
  return {
    good: good.access_token,
    withoutScope: plain.access_token,
    revoked: gone.access_token,
    bound: bound.access_token,
    other: other.access_token,
  }
}

/** Listens on a free port, and answers the origin. */
export async function listen(server: Server): Promise<string> {
  server.unref().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
