import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JWK } from 'jose'
import Koa from 'koa'
import mount from 'koa-mount'
import type { Configuration } from 'oidc-provider'
import { Provider, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { deploymentConfiguration } from '../../../../test/support/deployment-configuration.ts'
import { answerOf, urlencoded } from '../../../../test/support/http.ts'
import { signIn, signInRoutes } from '../../../../test/support/sign-in.ts'

const PEOPLE = ['alice', 'bob', 'dana', 'grace', 'olivia', 'oscar']

/** A provider with this package, that claims every part of the profile. */
export interface Deployed extends AsyncDisposable {
  readonly issuer: string
  /** What a person writes into the configuration file of the suite. */
  readonly configuration: object
}

export interface ServeOptions {
  /** @defaultValue memory */
  readonly adapter?: NonNullable<Configuration['adapter']>
  /** Stands between the server and the provider, and may spoil what goes through. */
  readonly front?: (provider: RequestListener) => RequestListener
  /** The origin of the issuer, and its key: where this is another process of it. */
  readonly of?: { readonly base: string; readonly key: JWK }
}

/** One process of the provider, on a free port. */
export async function serve({
  adapter = createMemoryAdapter(),
  front = (provider) => provider,
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
        actorToken: { clients: ['copilot'] },
        managementApi: {
          resource: `${base}/api`,
          clients: { issue: ['backend'], read: ['backend'], end: ['backend'] },
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
    post: async (path: string, form: Parameters<typeof urlencoded>[0]) =>
      answerOf(await fetch(`${base}${path}`, { method: 'POST', body: urlencoded(form) })),
  }
  const tokenOf = async (sub: string) => (await signIn(at, sub)).access_token
  const [olivia, oscar] = [await tokenOf('olivia'), await tokenOf('oscar')]
  return {
    issuer,
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
      operator: { sub: 'olivia', token: olivia },
      otherOperator: { sub: 'oscar', token: oscar },
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

/** Listens on a free port, and answers the origin. */
export async function listen(server: Server): Promise<string> {
  server.unref().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
