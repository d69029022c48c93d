import type { IncomingHttpHeaders } from 'node:http'
import Koa, { type Middleware } from 'koa'
import type { ClientMetadata } from 'oidc-provider'
import type { BrowserContext } from 'playwright-core'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../../../src/index.ts'
import { application as publicClient } from '../../../../test/support/clients.ts'
import { type DeploymentOptions, deploy, idOf } from '../../../../test/support/deployment.ts'
import { resourceServer } from '../../../resource-server/src/index.ts'
import { impersonationUrl } from '../../src/link.ts'
import { startApplication } from './application.ts'
import { addSession } from './session-cookies.ts'
import { listening } from './site.ts'

/** Terms of an impersonation, as the back office requests it. */
export interface Opening {
  readonly userId?: string
  readonly mayAct?: { readonly sub: string; readonly clientId: string } | undefined
  readonly resource?: string
  readonly context?: object
}

/** A provider and an API at `127.0.0.1`, and an application at another site, `localhost`. */
export type Sites = Awaited<ReturnType<typeof startSites>>

/** The client of the application. */
export const CLIENT = 'shop'

/** @param client replaces metadata of the application's client, but for its addresses */
export async function startSites(
  options: DeploymentOptions = {},
  client: Partial<ClientMetadata> = {},
) {
  await using stack = new AsyncDisposableStack()
  const application = stack.use(await startApplication())
  const shopApi = stack.use(await listening('127.0.0.1'))
  const resource = `${shopApi.url}/orders`
  /** Everything that anything printed or reported, and each request line of the provider. */
  const log: string[] = []
  const deployment = stack.use(
    await deploy({
      ...deploymentOptions(application.url, resource, options, client),
      async middleware(ctx, next) {
        log.push(`${ctx.method} ${ctx.url} ${ctx.get('referer')}`)
        await next()
      },
    }),
  )
  const { issuer, provider } = deployment
  provider.on('server_error', (_ctx, error) => log.push(String(error)))

  /** The headers of the requests that the API got. */
  const apiRequests: IncomingHttpHeaders[] = []
  const guard = resourceServer({
    issuer,
    audience: resource,
    dPoP: { baseUrl: shopApi.url },
  })
  const api = new Koa()
  api.use(crossOrigin)
  api.use(async (ctx, next) => {
    apiRequests.push(ctx.req.headers)
    await next()
  })
  api.use(async (ctx, next) => {
    if (ctx.path === '/elsewhere') ctx.redirect(`${application.url}/caught`)
    else await next()
  })
  api.use(guard.koa())
  api.use((ctx) => {
    const { userId, actor } = ctx.state.caller
    ctx.body = { ordersOf: userId, seenBy: actor?.sub }
  })
  shopApi.server.on('request', api.callback())
  application.policy = `connect-src ${deployment.base} ${shopApi.url}`

  /** The ids of all impersonations, oldest first. `list` orders those of one second by their ids. */
  const ids: string[] = []
  const issue = async (opening: Opening = {}) => {
    const { body } = await deployment.issue({
      userId: 'alice',
      mayAct: { sub: 'olivia', clientId: CLIENT },
      resource,
      scope: 'orders:read',
      ...opening,
    })
    ids.push(idOf(body.subjectToken))
    return body
  }

  const owned = stack.move()
  return {
    application,
    issuer,
    api: shopApi.url,
    resource,
    provider,
    apiRequests,
    log,
    issue,
    /** The link that the back office opens. */
    async link(path = '/', opening?: Opening) {
      const { subjectToken, expiresIn } = await issue(opening)
      return impersonationUrl(`${application.url}${path}`, {
        subjectToken,
        actor: 'olivia',
        expiresAtMs: Date.now() + expiresIn * 1000,
      })
    },
    /** The states of all impersonations, newest first. */
    async states() {
      const { items } = await provider.impersonation.list({ limit: 100 })
      const states = new Map(items.map(({ id, state }) => [id, state]))
      return ids.toReversed().map((id) => states.get(id) ?? 'gone')
    },
    /** At the provider, as the back office does. */
    signIn: (context: BrowserContext, operator?: string) =>
      addSession(context, deployment, operator),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function deploymentOptions(
  shop: string,
  resource: string,
  options: DeploymentOptions,
  client: Partial<ClientMetadata>,
): DeploymentOptions {
  return {
    ...options,
    accounts: new Set(['alice', 'bob', 'olivia', 'oscar']),
    clients: [
      {
        ...publicClient,
        ...client,
        client_id: CLIENT,
        redirect_uris: [`${shop}/`, `${shop}/callback?from=provider`],
      },
      ...(options.clients ?? []),
    ],
    resources: {
      [resource]: {
        scope: 'orders:read orders:write',
        accessTokenFormat: 'jwt',
        accessTokenTTL: 900,
        jwt: { sign: { alg: 'ES256' } },
      },
      ...options.resources,
    },
    configuration: {
      clientBasedCORS: (_ctx, origin) => origin === shop,
      ...options.configuration,
      features: { dPoP: { enabled: true }, ...options.configuration?.features },
    },
    impersonation: {
      getCustomJwtClaims: async ({ context }) =>
        context.grant.type === TOKEN_EXCHANGE_GRANT_TYPE
          ? { impersonation_context: context.grant.subjectTokenContext }
          : {},
      ...options.impersonation,
      managementApi: {},
    },
  }
}

/** Lets pages of another origin call an API. */
const crossOrigin: Middleware = async (ctx, next) => {
  ctx.set('Access-Control-Allow-Origin', '*')
  ctx.set('Access-Control-Expose-Headers', 'WWW-Authenticate, DPoP-Nonce')
  if (ctx.method !== 'OPTIONS') return next()
  ctx.set('Access-Control-Allow-Headers', 'Authorization, DPoP, Content-Type')
  ctx.set('Access-Control-Allow-Methods', 'GET, POST, PATCH, PUT')
  ctx.status = 204
}
