import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { AuditTrail } from '../audit/trail.ts'
import { runInRequest } from '../host/request.ts'
import { answerErrors, publicCode } from './answer-errors.ts'
import { type IssueParts, subjectTokenIssuer } from './issue.ts'

/** `POST {prefix}/subject-tokens`, as plain Koa middleware. */
export function managementRouter(provider: Provider, parts: IssueParts): Middleware {
  const issueSubjectToken = subjectTokenIssuer(provider, parts)
  const { prefix } = parts.options.managementApi

  const router = new Router({ prefix, sensitive: true, strict: true })
  router.all('/subject-tokens', noStore, answerErrors(provider), async (ctx) => {
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST')
      throw new errors.InvalidRequest('only POST is allowed here', 405)
    }
    await runInRequest(ctx, () => audited(withOidc(provider, ctx)))
  })
  // The router itself adds the members that its context type has beyond a plain Koa context.
  return router.routes() as Middleware

  async function audited(ctx: KoaContextWithOIDC): Promise<void> {
    const trail = new AuditTrail(provider, ctx, 'issue')
    try {
      await issueSubjectToken(ctx, trail)
    } catch (error) {
      // The client must retry with the DPoP nonce just sent (RFC 9449 §9): no failure, no event.
      if (!(error instanceof errors.UseDpopNonce)) trail.failed(error, publicCode(error))
      throw error
    }
    trail.succeeded()
  }
}

async function noStore(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  ctx.set('Cache-Control', 'no-store')
  await next()
}

/** Gives the context what oidc-provider's own routes have, for `findAccount` and listeners. */
function withOidc(provider: Provider, ctx: Context): KoaContextWithOIDC {
  const oidc = Object.assign(new provider.OIDCContext(ctx), {
    params: {},
    route: ROUTE,
  })
  const { urlFor } = oidc
  oidc.urlFor = (name, options) =>
    name === ROUTE ? publicUrl(ctx) : Reflect.apply(urlFor, oidc, [name, options])
  return Object.assign(ctx, { oidc })
}

const ROUTE = 'subject_tokens'

/** The URL that the caller used, before any mount or proxy changed it. */
function publicUrl(ctx: Context): string {
  // Express and its like keep the path before their mounts here, Koa in its own context.
  const path = 'originalUrl' in ctx.req ? String(ctx.req.originalUrl) : ctx.originalUrl
  const { origin } = new URL(ctx.href)
  return new URL(new URL(path, origin).pathname, origin).href
}
