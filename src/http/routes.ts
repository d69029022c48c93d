import Router from '@koa/router'
import type { Middleware } from 'koa'
import type { Provider } from 'oidc-provider'
import { addToDiscovery } from '../host/patches.ts'
import { runInRequest, tokenEndpointCors } from '../host/request.ts'
import { instance } from '../host/weak-cache.ts'
import { audited } from '../impersonations/audited.ts'
import type { Denial } from '../public/events.ts'
import { CURRENT_END_PATH, CURRENT_PATH, issuerUri, STATUS_LISTS_PATH } from '../shared/uris.ts'
import { answerErrors, only, openCors, type Step } from './answers.ts'
import { authenticate } from './bearer.ts'
import { body } from './body.ts'
import { endCurrent, showCurrent } from './current.ts'
import { end, endAll, issueSubjectToken, list, requireId, show } from './management.ts'
import { sendAggregation, sendStatusList } from './status-lists.ts'

/** A path, and the middleware of its requests. */
type Route = readonly [path: string, ...steps: Step[]]

const audit =
  (stage: Denial['stage']): Step =>
  (ctx, next) =>
    audited(ctx, stage, next)

const get = only('GET', 'HEAD')
const post = only('POST')
const openGet = only('GET', 'HEAD', 'OPTIONS')

/** Below the prefix of the management API. */
const ISSUE: readonly Route[] = [
  ['/subject-tokens', post, audit('issue'), authenticate('issue'), body(), issueSubjectToken],
]

/** The same, if impersonations can be ended. */
const IMPERSONATIONS: readonly Route[] = [
  ['/impersonations', get, authenticate('read'), list],
  ['/impersonations/end', post, audit('end'), authenticate('end'), body(), endAll],
  ['/impersonations/:id', get, authenticate('read'), requireId, show],
  [
    '/impersonations/:id/end',
    post,
    audit('end'),
    authenticate('end'),
    requireId,
    body({ isOptional: true }),
    end,
  ],
]

/** Below the issuer, if impersonations can be ended. */
const CURRENT: readonly Route[] = [
  [CURRENT_PATH, tokenEndpointCors('GET'), only('GET', 'OPTIONS'), showCurrent],
  [CURRENT_END_PATH, tokenEndpointCors('POST'), only('POST', 'OPTIONS'), audit('end'), endCurrent],
]

/** Below the issuer, if there are status lists. */
const STATUS_LISTS: readonly Route[] = [
  [STATUS_LISTS_PATH, openCors, openGet, sendAggregation],
  [`${STATUS_LISTS_PATH}/:list`, openCors, openGet, sendStatusList],
]

/** The management API, for a place beside the provider or in front of it. */
export function managementRoutes(provider: Provider): Middleware {
  const parts = instance(provider)
  const { prefix } = parts.options.managementApi
  parts.isMounted = true
  const routes = parts.ending ? [...ISSUE, ...IMPERSONATIONS] : ISSUE
  const answer = routerOf(provider, routes, prefix).routes() as Middleware
  // These are the provider's own, if both are below the same path. No id is so short.
  const ofProvider = [CURRENT_PATH, CURRENT_END_PATH].map((path) => prefix + path)
  return (ctx, next) => (ofProvider.includes(ctx.path) ? next() : answer(ctx, next))
}

/** The routes below the issuer, for `provider.use(…)`. */
export function issuerRoutes(provider: Provider): Middleware {
  const { statusLists } = instance(provider)
  const router = routerOf(provider, statusLists ? [...CURRENT, ...STATUS_LISTS] : CURRENT)
  const answer = router.routes() as Middleware
  // The router would write to the context of the provider's own requests, too.
  return (ctx, next) => (router.match(ctx.path, ctx.method).route ? answer(ctx, next) : next())
}

/** @param prefix - absent for routes below the issuer, whose address the caller cannot choose */
function routerOf(provider: Provider, routes: readonly Route[], prefix?: string): Router {
  const router = new Router({ prefix: prefix ?? '', sensitive: true, strict: true })
  for (const [path, ...steps] of routes) {
    const url = prefix === undefined ? () => issuerUri(provider.issuer, path) : undefined
    const enter: Middleware = (plain, next) =>
      runInRequest(provider, plain, (ctx) => answerErrors(ctx, next), url)
    // `enter` adds the members that the context of the steps has beyond Koa's.
    router.all(path, enter, ...(steps as unknown as Middleware[]))
  }
  return router
}

/** Names the routes below the issuer in both discovery documents. */
export function announceRoutes(provider: Provider): void {
  const { issuer } = provider
  addToDiscovery(provider, {
    status_list_aggregation_endpoint:
      instance(provider).statusLists && issuerUri(issuer, STATUS_LISTS_PATH),
    impersonation_current_endpoint: issuerUri(issuer, CURRENT_PATH),
    impersonation_end_endpoint: issuerUri(issuer, CURRENT_END_PATH),
  })
}
