import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { AuditTrail } from '../audit/trail.ts'
import { runInRequest } from '../host/request.ts'
import type { Impersonations } from '../lifecycle/impersonations.ts'
import type { Denial } from '../public/events.ts'
import { CURRENT_END_PATH } from '../shared/status-uris.ts'
import { answerErrors, publicCode } from './answer-errors.ts'
import type { BearerParts } from './bearer.ts'
import { withOidc } from './context.ts'
import { type Handler, impersonationHandlers } from './impersonations.ts'
import { type IssueParts, subjectTokenIssuer } from './issue.ts'
import type { ManagementRights } from './machine-tokens.ts'

/** What the management API takes. */
export interface ManagementParts extends BearerParts, Omit<IssueParts, 'right'> {
  readonly rights: ManagementRights
  /** `undefined` where impersonations cannot be seen or ended. */
  readonly impersonations: Impersonations | undefined
}

/** One route: its path, what it allows, and what is audited where it is refused. */
interface Route {
  readonly path: string
  readonly methods: Readonly<Record<string, { handler: Handler; stage?: Denial['stage'] }>>
}

/** The management API as plain Koa middleware. */
export function managementRouter(provider: Provider, parts: ManagementParts): Middleware {
  const { impersonations, rights } = parts
  const issue = subjectTokenIssuer(provider, { ...parts, right: rights.issue })
  const routes: Route[] = [
    { path: '/subject-tokens', methods: { POST: { handler: issue, stage: 'issue' } } },
  ]
  if (impersonations) {
    const handlers = impersonationHandlers(provider, { ...parts, impersonations })
    routes.push(
      { path: '/impersonations', methods: { GET: { handler: handlers.list } } },
      {
        path: '/impersonations/end',
        methods: { POST: { handler: handlers.endAll, stage: 'end' } },
      },
      { path: '/impersonations/:id', methods: { GET: { handler: handlers.show } } },
      {
        path: '/impersonations/:id/end',
        methods: { POST: { handler: handlers.end, stage: 'end' } },
      },
    )
  }

  const { prefix } = parts.options.managementApi
  const router = new Router({ prefix, sensitive: true, strict: true })
  for (const { path, methods } of routes) {
    const allowed = Object.keys(methods).join(', ')
    const allow = allowed.replace('GET', 'GET, HEAD')
    router.all(path, noStore, answerErrors(provider), async (ctx) => {
      const asked = ctx.method === 'HEAD' ? 'GET' : ctx.method
      const method = Object.hasOwn(methods, asked) ? methods[asked] : undefined
      if (!method) {
        ctx.set('Allow', allow)
        throw new errors.InvalidRequest(`only ${allowed} is allowed here`, 405)
      }
      const { handler, stage } = method
      await runInRequest(ctx, () => audited(provider, withOidc(provider, ctx), handler, stage))
    })
  }
  // The router itself adds the members that its context type has beyond a plain Koa context.
  const answer = router.routes() as Middleware
  // The provider's own, where both are below the same path. No id is so short.
  const ofProvider = `${prefix}${CURRENT_END_PATH}`
  return (ctx, next) => (ctx.path === ofProvider ? next() : answer(ctx, next))
}

/** @param stage what an event of a refusal says; absent where a refusal raises none */
async function audited(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  handler: Handler,
  stage: Denial['stage'] | undefined,
): Promise<void> {
  const trail = new AuditTrail(provider, ctx, stage ?? 'end')
  try {
    await handler(ctx, trail)
  } catch (error) {
    // The client must retry with the DPoP nonce just sent (RFC 9449 §9): no failure, no event.
    if (stage && !(error instanceof errors.UseDpopNonce)) trail.failed(error, publicCode(error))
    throw error
  }
  if (stage) trail.succeeded()
}

async function noStore(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  ctx.set('Cache-Control', 'no-store')
  await next()
}
