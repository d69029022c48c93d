import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { audited } from '../events/audited.ts'
import { addToDiscovery } from '../host/patches.ts'
import { runInRequest, withOidc } from '../host/request.ts'
import { instance } from '../host/weak-cache.ts'
import { endLater } from '../impersonations/end.ts'
import type { Action } from '../policy/clients.ts'
import { CURRENT_END_PATH, CURRENT_PATH, issuerUri, STATUS_LISTS_PATH } from '../shared/uris.ts'
import { answerErrors, type Cors, clientCors, openCors, publicError } from './answers.ts'
import { authenticate } from './bearer.ts'
import { endCurrent, showCurrent } from './current.ts'
import { end, endAll, issueSubjectToken, list, show } from './management.ts'
import { sendAggregation, sendStatusList } from './status-lists.ts'

/** Every route of this package. */
const ROUTES: readonly Route[] = [
  { method: 'POST', path: '/subject-tokens', credential: 'issue', handle: issueSubjectToken },
  { method: 'GET', path: '/impersonations', credential: 'read', handle: list },
  { method: 'POST', path: '/impersonations/end', credential: 'end', handle: endAll },
  { method: 'GET', path: '/impersonations/:id', credential: 'read', handle: show },
  { method: 'POST', path: '/impersonations/:id/end', credential: 'end', handle: end },
  { method: 'GET', path: CURRENT_PATH, credential: 'token', cors: clientCors, handle: showCurrent },
  {
    method: 'POST',
    path: CURRENT_END_PATH,
    credential: 'token',
    cors: clientCors,
    handle: endCurrent,
  },
  { method: 'GET', path: STATUS_LISTS_PATH, cors: openCors, handle: sendAggregation },
  { method: 'GET', path: `${STATUS_LISTS_PATH}/:list`, cors: openCors, handle: sendStatusList },
]

interface Route {
  readonly method: 'GET' | 'POST'
  /**
   * The path, below the prefix of the management API if a machine has a right, else below the
   * issuer.
   */
  readonly path: string
  /** The right of a machine client, or the impersonated token itself, which the handler reads. */
  readonly credential?: Action | 'token'
  /** The CORS of the route; absent if pages of other origins may not call it. */
  readonly cors?: Cors
  readonly handle: (provider: Provider, ctx: KoaContextWithOIDC) => Promise<void>
}

/** Checks whether the routes of the management API were requested, to mount them. */
export function isMounted(provider: Provider): boolean {
  return instance(provider).isMounted
}

/** The management API, for a place beside the provider or in front of it. */
export function managementRoutes(provider: Provider): Middleware {
  const { prefix } = instance(provider).options.managementApi
  instance(provider).isMounted = true
  const answer = routerOf(provider, prefix, ROUTES.filter(isManagement)).routes() as Middleware
  // These are the provider's own, if both are below the same path. No id is so short.
  const ofProvider = [CURRENT_PATH, CURRENT_END_PATH].map((path) => `${prefix}${path}`)
  return (ctx, next) => (ofProvider.includes(ctx.path) ? next() : answer(ctx, next))
}

/** The routes below the issuer, for `provider.use(…)`. */
export function issuerRoutes(provider: Provider): Middleware {
  const router = routerOf(
    provider,
    '',
    ROUTES.filter((route) => !isManagement(route)),
  )
  const answer = router.routes() as Middleware
  // The router would write to the context of the provider's own requests, too.
  return (ctx, next) => (router.match(ctx.path, ctx.method).route ? answer(ctx, next) : next())
}

/** Names the routes below the issuer in both discovery documents. */
export function announceRoutes(provider: Provider): void {
  const { issuer } = provider
  addToDiscovery(provider, {
    ...(instance(provider).statusLists
      ? { status_list_aggregation_endpoint: issuerUri(issuer, STATUS_LISTS_PATH) }
      : {}),
    impersonation_current_endpoint: issuerUri(issuer, CURRENT_PATH),
    impersonation_end_endpoint: issuerUri(issuer, CURRENT_END_PATH),
  })
}

function isManagement({ credential }: Route): boolean {
  return credential !== undefined && credential !== 'token'
}

/** Checks whether the provider has the subject of the route. */
function isServed(provider: Provider, { credential }: Route): boolean {
  if (credential === 'issue') return true
  const { ending, statusLists } = instance(provider)
  return (credential ? ending : statusLists) !== undefined
}

/**
 * Makes a router. Its middleware is plain Koa's, because the router itself adds the members that
 * its context type has beyond that.
 */
function routerOf(provider: Provider, prefix: string, routes: readonly Route[]): Router {
  const router = new Router({ prefix, sensitive: true, strict: true })
  for (const route of routes) {
    if (isServed(provider, route)) router.all(route.path, (ctx) => respond(provider, ctx, route))
  }
  return router
}

async function respond(provider: Provider, plain: Context, route: Route): Promise<void> {
  const { method, path, cors } = route
  plain.set('Cache-Control', 'no-store')
  const ctx = isManagement(route)
    ? withOidc(provider, plain)
    : withOidc(provider, plain, () => issuerUri(provider.issuer, path))
  const answer = async () => {
    requireMethod(ctx, route)
    await carryOut(provider, ctx, route)
  }
  await answerErrors(provider, ctx, () =>
    runInRequest(ctx, () => (cors ? cors(provider, ctx, method, answer) : answer())),
  )
}

/** @throws errors.InvalidRequest with status 405 */
function requireMethod(ctx: Context, { method, credential, cors }: Route): void {
  const allowed = [
    method,
    ...(method === 'GET' && credential !== 'token' ? ['HEAD'] : []),
    ...(cors ? ['OPTIONS'] : []),
  ]
  if (ctx.method !== 'OPTIONS' && allowed.includes(ctx.method)) return
  ctx.set('Allow', allowed.join(', '))
  throw new errors.InvalidRequest(`only ${method} is allowed here`, 405)
}

async function carryOut(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  { method, credential, handle }: Route,
): Promise<void> {
  // A request that only reads raises no event.
  const stage = credential === 'issue' ? 'issue' : method === 'POST' ? 'end' : undefined
  await audited(provider, ctx, {
    stage,
    async run() {
      try {
        if (credential && credential !== 'token') {
          await authenticate(provider, ctx, credential)
        }
        await handle(provider, ctx)
      } catch (error) {
        throw publicError(error)
      }
    },
    undo: (id) => endLater(provider, id, 'notRecorded'),
  })
}
