import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { contentSecurityPolicy } from './demo/page.ts'

/**
 * The headers of every answer.
 *
 * @param origins those of other applications that people come from, to sign in and out
 */
export function securityHeaders(...origins: ReadonlyArray<string | undefined>): Middleware {
  const policy = contentSecurityPolicy(origins.filter((origin) => origin !== undefined))
  return async (ctx, next) => {
    ctx.set({
      'Content-Security-Policy': policy,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
    await next()
  }
}

/** The original `Host` of each request that {@link pinOrigin} changed. */
const hosts = new WeakMap<IncomingMessage, string>()

/**
 * Makes the provider build all its URLs from `baseUrl`, for every address, proxy and forged header.
 * The first middleware of an application.
 */
export function pinOrigin(baseUrl: string): Middleware {
  const { host, protocol } = new URL(baseUrl)
  const scheme = protocol.slice(0, -1)
  return async ({ req }, next) => {
    const { headers } = req
    if (headers.host !== undefined) hosts.set(req, headers.host)
    headers.host = host
    headers['x-forwarded-proto'] = scheme
    delete headers['x-forwarded-host']
    await next()
  }
}

/** The host in the address bar of the browser, as far as the request shows it. */
export function hostAsked(request: IncomingMessage): string | undefined {
  return hosts.get(request)
}
