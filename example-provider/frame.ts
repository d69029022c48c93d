// The frame around the parts, without impersonation: one origin for all of them, the
// headers of each answer, and errors as JSON.
import Koa, { type Middleware } from 'koa'
import helmet from 'koa-helmet'
import { z } from 'zod'
import { isLoopback } from './demo/secrets.ts'

/**
 * Lets the provider build every URL from `baseUrl`, whatever address, proxy or forged header a
 * request came by. The first middleware of the application.
 */
export function pinOrigin(baseUrl: string): Middleware {
  const home = new URL(baseUrl)
  return (ctx, next) => {
    const { headers } = ctx.req
    const asked = URL.parse(`http://${headers.host}`)
    headers.host = home.host
    headers['x-forwarded-proto'] = home.protocol.slice(0, -1)
    delete headers['x-forwarded-host']
    // At http://127.0.0.1:3000, a page would have another origin than its requests. A proxy that sets
    // a loopback `Host` makes no loop of this, because it has this port itself or speaks TLS.
    const isStray =
      ctx.get('Accept').startsWith('text/html') &&
      home.protocol === 'http:' &&
      asked?.port === home.port &&
      asked.hostname !== home.hostname &&
      isLoopback(asked.hostname)
    if (!isStray || ctx.method !== 'GET') return next()
    const { path, search } = ctx
    // These setters cannot change the origin.
    ctx.redirect(Object.assign(new URL(home), { pathname: path, search }).href)
  }
}

/** @param shopUrl people come from there to sign in and out, and `form-action` holds for redirects */
export function securityHeaders(shopUrl: string): Middleware {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'style-src': ["'self'"],
        'img-src': ["'self'"],
        // None. oidc-provider adds the hash of the one script of its self-submitting form.
        'script-src': [],
        'form-action': ["'self'", shopUrl],
        'base-uri': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    // From the proxy that speaks TLS.
    strictTransportSecurity: false,
  })
}

/**
 * Refuses compressed bodies. koa-body inflates them, and a stream that breaks after the limit was
 * reached ends the process.
 */
export const refuseEncodedBodies: Middleware = (ctx, next) => {
  if (/^(?:identity)?$/i.test(ctx.get('Content-Encoding'))) return next()
  ctx.throw(415, 'Content-Encoding is not supported', {
    headers: { 'Accept-Encoding': 'identity' },
  })
}

/** The error of `ctx.throw(status, description, { error })` and of the console's `recordRefusal`. */
const PROBLEM_SHAPE = z.object({
  status: z.number(),
  error: z.string().default('invalid_request'),
  message: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  retryAfter: z.string().optional(),
})

/** Answers a problem as JSON. Every other error becomes a 500 without details. */
export const answerProblems: Middleware = async (ctx, next) => {
  ctx.set('Cache-Control', 'no-store')
  try {
    await next()
  } catch (thrown) {
    const isProblem =
      thrown instanceof Koa.HttpError || (thrown instanceof Error && thrown.name === 'Problem')
    const { status, error, message, headers, retryAfter } = PROBLEM_SHAPE.parse(
      isProblem ? thrown : { status: 500, error: 'server_error', message: 'something went wrong' },
    )
    if (status >= 500) console.error(`${ctx.method} ${ctx.path}:`, thrown)
    if (retryAfter !== undefined) ctx.set('Retry-After', retryAfter)
    ctx.set(headers)
    ctx.status = status
    ctx.body = { error, error_description: message }
  }
}
