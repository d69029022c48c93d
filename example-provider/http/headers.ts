import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { CONTENT_SECURITY_POLICY } from './page.ts'

/** On every answer, whoever gives it. */
export const securityHeaders: Middleware = async (ctx, next) => {
  ctx.set({
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  })
  await next()
}

/** The `Host` that requests came with, where {@link pinOrigin} has replaced it. */
const hosts = new WeakMap<IncomingMessage, string>()

/**
 * Every URL that the provider names is under `baseUrl`, through whatever address, proxy or forged
 * header a request came.
 */
export function pinOrigin(baseUrl: string): (request: IncomingMessage) => void {
  const { host, protocol } = new URL(baseUrl)
  const scheme = protocol.slice(0, -1)
  return (request) => {
    const { headers } = request
    if (headers.host !== undefined) hosts.set(request, headers.host)
    headers.host = host
    headers['x-forwarded-proto'] = scheme
    delete headers['x-forwarded-host']
  }
}

/** What somebody typed into the address bar, as far as the request says so. */
export function hostAsked(request: IncomingMessage): string | undefined {
  return hosts.get(request)
}
