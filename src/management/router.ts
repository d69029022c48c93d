import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { AuditTrail } from '../audit.ts'
import { runInRequest } from '../oidc-provider-internals.ts'
import { answerErrors, publicCode } from './errors.ts'
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
  // The router itself gives the context what its type asks for beyond a plain one.
  return router.routes() as Middleware

  async function audited(ctx: KoaContextWithOIDC): Promise<void> {
    const trail = new AuditTrail(provider, ctx, 'issue')
    try {
      await issueSubjectToken(ctx, trail)
    } catch (error) {
      // Half of a request with a nonce (RFC 9449 §9), and nobody's failure.
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

/** The URL the caller used, whatever mounts and proxies did to it since. */
function publicUrl(ctx: Context): string {
  // Express and its like keep the path before their mounts here, Koa in its own context.
  const path = 'originalUrl' in ctx.req ? String(ctx.req.originalUrl) : ctx.originalUrl
  const { origin } = new URL(ctx.href)
  return new URL(new URL(path, origin).pathname, origin).href
}
