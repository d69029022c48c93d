import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { audited } from '../events/audited.ts'
import type { AuditTrail } from '../events/trail.ts'
import { addToDiscovery } from '../host/instance.ts'
import { runInRequest, withOidc } from '../host/request.ts'
import type { Slot } from '../host/slot.ts'
import { endLater } from '../impersonations/end.ts'
import { optionsOf } from '../options/defaults.ts'
import type { ManagementRights } from '../policy/clients.ts'
import type { Denial } from '../public/events.ts'
import { CURRENT_END_PATH, CURRENT_PATH, issuerUri, STATUS_LISTS_PATH } from '../shared/uris.ts'
import { statusListsOf } from '../status-list/sign.ts'
import { endingAdapterOf } from '../tokens/subject-token.ts'
import {
  answerErrors,
  type Cors,
  corsAsTokenEndpoint,
  corsForEveryone,
  publicError,
} from './answers.ts'
import { authenticate } from './bearer.ts'
import {
  type CurrentToken,
  endCurrent,
  findCurrentToken,
  findCurrentTokenEvenEnded,
  showCurrent,
} from './current.ts'
import { end, endAll, issueSubjectToken, list, show } from './management.ts'
import { sendAggregation, sendStatusList } from './status-lists.ts'

/** Every route of this package: its path, what the caller shows, and what answers. */
const ROUTES: readonly Route[] = [
  management('POST', '/subject-tokens', 'issue', issueSubjectToken),
  management('GET', '/impersonations', 'read', list),
  management('POST', '/impersonations/end', 'end', endAll),
  management('GET', '/impersonations/:id', 'read', show),
  management('POST', '/impersonations/:id/end', 'end', end),
  current('GET', CURRENT_PATH, findCurrentTokenEvenEnded, showCurrent),
  current('POST', CURRENT_END_PATH, findCurrentToken, endCurrent),
  statusList('GET', STATUS_LISTS_PATH, sendAggregation),
  statusList('GET', `${STATUS_LISTS_PATH}/:list`, sendStatusList),
]

interface Route {
  readonly method: 'GET' | 'POST'
  /** Below the prefix of the management API, or below the issuer. */
  readonly path: string
  readonly isManagement: boolean
  /** Without it the provider does not serve the route. */
  readonly needs: Slot<unknown> | undefined
  /** How pages of other origins may call it; `undefined` where they may not. */
  readonly cors: Cors | undefined
  /** What the event of a refusal says; `undefined` where a refusal raises none. */
  readonly stage: Denial['stage'] | undefined
  readonly run: (provider: Provider, ctx: KoaContextWithOIDC, trail: AuditTrail) => Promise<void>
}

/** Answers a request of a caller whose credential is verified. */
type Handle<T> = (
  provider: Provider,
  ctx: KoaContextWithOIDC,
  trail: AuditTrail,
  shown: T,
) => Promise<void>

/** A route of the management API, for the clients that have the right. */
function management(
  method: Route['method'],
  path: string,
  right: keyof ManagementRights,
  handle: Handle<Client>,
): Route {
  return {
    method,
    path,
    isManagement: true,
    needs: right === 'issue' ? undefined : endingAdapterOf,
    cors: undefined,
    stage: right === 'read' ? undefined : right,
    run: async (provider, ctx, trail) =>
      handle(provider, ctx, trail, await authenticate(provider, ctx, trail, right)),
  }
}

/** A route for the impersonated access token itself: the operator's application has no other credential. */
function current(
  method: Route['method'],
  path: string,
  find: (provider: Provider, ctx: KoaContextWithOIDC, trail: AuditTrail) => Promise<CurrentToken>,
  handle: Handle<CurrentToken>,
): Route {
  return {
    method,
    path,
    isManagement: false,
    needs: endingAdapterOf,
    cors: corsAsTokenEndpoint,
    stage: method === 'POST' ? 'end' : undefined,
    run: async (provider, ctx, trail) =>
      handle(provider, ctx, trail, await find(provider, ctx, trail)),
  }
}

/** @see draft-ietf-oauth-status-list-21, sections 8 and 9 */
function statusList(
  method: Route['method'],
  path: string,
  send: (provider: Provider, ctx: Context) => Promise<void>,
): Route {
  return {
    method,
    path,
    isManagement: false,
    needs: statusListsOf,
    cors: corsForEveryone,
    stage: undefined,
    run: send,
  }
}

/** The management API, for a place beside the provider or in front of it. */
export function managementRoutes(provider: Provider): Middleware {
  const { prefix } = optionsOf.of(provider).managementApi
  const answer = middlewareOf(provider, prefix, ({ isManagement }) => isManagement)
  // The provider's own, where both are below the same path. No id is so short.
  const ofProvider = [CURRENT_PATH, CURRENT_END_PATH].map((path) => `${prefix}${path}`)
  return (ctx, next) => (ofProvider.includes(ctx.path) ? next() : answer(ctx, next))
}

/** The routes below the issuer, for `provider.use(…)`. */
export function issuerRoutes(provider: Provider): Middleware {
  return middlewareOf(provider, '', ({ isManagement }) => !isManagement)
}

/** Names the routes below the issuer in both discovery documents. */
export function announceRoutes(provider: Provider): void {
  const { issuer } = provider
  addToDiscovery(provider, {
    ...(statusListsOf.find(provider)
      ? { status_list_aggregation_endpoint: issuerUri(issuer, STATUS_LISTS_PATH) }
      : {}),
    impersonation_current_endpoint: issuerUri(issuer, CURRENT_PATH),
    impersonation_end_endpoint: issuerUri(issuer, CURRENT_END_PATH),
  })
}

function middlewareOf(
  provider: Provider,
  prefix: string,
  isMeant: (route: Route) => boolean,
): Middleware {
  const router = new Router({ prefix, sensitive: true, strict: true })
  for (const route of ROUTES) {
    if (!isMeant(route) || (route.needs && !route.needs.find(provider))) continue
    router.all(route.path, (ctx) => respond(provider, ctx, route))
  }
  // The router itself adds the members that its context type has beyond a plain Koa context.
  const answer = router.routes() as Middleware
  // It would write to the context of requests that are not for it, too.
  return (ctx, next) => (router.match(ctx.path, ctx.method).route ? answer(ctx, next) : next())
}

async function respond(provider: Provider, plain: Context, route: Route): Promise<void> {
  plain.set('Cache-Control', 'no-store')
  const { path, isManagement, stage, run } = route
  const ctx = withOidc(
    provider,
    plain,
    isManagement ? undefined : () => issuerUri(provider.issuer, path),
  )
  const answer = async () => {
    requireMethod(ctx, route)
    await audited(provider, ctx, {
      stage,
      run: (trail) => run(provider, ctx, trail).catch(rethrowPublic),
      undo(id) {
        ctx.body = undefined
        ctx.remove('Location')
        endLater(provider, id, 'notRecorded')
      },
    })
  }
  await answerErrors(provider, ctx, () =>
    runInRequest(ctx, () =>
      route.cors ? route.cors(provider, ctx, route.method, answer) : answer(),
    ),
  )
}

/** @throws errors.InvalidRequest with status 405 */
function requireMethod(ctx: Context, { method, cors }: Route): void {
  const allowed = [
    method,
    ...(method === 'GET' && cors !== corsAsTokenEndpoint ? ['HEAD'] : []),
    ...(cors ? ['OPTIONS'] : []),
  ]
  if (ctx.method !== 'OPTIONS' && allowed.includes(ctx.method)) return
  ctx.set('Allow', allowed.join(', '))
  throw new errors.InvalidRequest(`only ${method} is allowed here`, 405)
}

function rethrowPublic(error: unknown): never {
  throw publicError(error)
}
