import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { errors, type Provider } from 'oidc-provider'
import { audited } from '../events/audited.ts'
import { runInRequest, withOidc } from '../host/request.ts'
import type { Impersonations } from '../impersonations/impersonations.ts'
import type { ManagementRights } from '../policy/machine-tokens.ts'
import type { Denial } from '../public/events.ts'
import { CURRENT_END_PATH, CURRENT_PATH } from '../shared/status-uris.ts'
import { answerErrors } from './answer-errors.ts'
import type { BearerParts } from './bearer.ts'
import { type IssueHandlerParts, issueHandler } from './issue-handler.ts'
import { type Handler, impersonationHandlers } from './see-and-end.ts'

/** What the management API takes. */
export interface ManagementParts extends BearerParts, Omit<IssueHandlerParts, 'right'> {
  readonly rights: ManagementRights
  /** `undefined` where impersonations cannot be seen or ended. */
  readonly impersonations: Impersonations | undefined
  /** Ends what was issued and could not be recorded, by its id, after this returns. */
  readonly endUnrecorded: (id: string) => void
}

/** One route: its path, what it allows, and what is audited where it is refused. */
interface Route {
  readonly path: string
  readonly methods: Readonly<Record<string, { handler: Handler; stage?: Denial['stage'] }>>
}

/** The management API as plain Koa middleware. */
export function managementRouter(provider: Provider, parts: ManagementParts): Middleware {
  const { impersonations, rights, endUnrecorded } = parts
  const issue = issueHandler(provider, { ...parts, right: rights.issue })
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
      await runInRequest(ctx, async () => {
        const oidcCtx = withOidc(provider, ctx)
        await audited(provider, oidcCtx, {
          stage,
          run: (trail) => handler(oidcCtx, trail),
          undo(id) {
            ctx.body = undefined
            ctx.remove('Location')
            endUnrecorded(id)
          },
        })
      })
    })
  }
  // The router itself adds the members that its context type has beyond a plain Koa context.
  const answer = router.routes() as Middleware
  // The provider's own, where both are below the same path. No id is so short.
  const ofProvider = [CURRENT_PATH, CURRENT_END_PATH].map((path) => `${prefix}${path}`)
  return (ctx, next) => (ofProvider.includes(ctx.path) ? next() : answer(ctx, next))
}

async function noStore(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  ctx.set('Cache-Control', 'no-store')
  await next()
}
