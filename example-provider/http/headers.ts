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

/**
 * Every URL that the provider names is under `baseUrl`, through whatever address, proxy or forged
 * header a request came.
 */
export function pinOrigin(baseUrl: string): (request: IncomingMessage) => void {
  const { host, protocol } = new URL(baseUrl)
  const scheme = protocol.slice(0, -1)
  return ({ headers }) => {
    headers.host = host
    headers['x-forwarded-proto'] = scheme
    delete headers['x-forwarded-host']
  }
}
