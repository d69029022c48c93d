import type { Middleware } from 'koa'
import { hostAsked } from './headers.ts'

/**
 * Sends who typed another name of this machine to the one that the provider knows: at
 * http://127.0.0.1:3000 the page would be of another origin than what it asks.
 *
 * Only from one loopback name to another, at the same port and without TLS. A proxy, which may put
 * the name of what is behind it in the place of its own, has taken that port or speaks TLS: it
 * would bring the browser back here for ever.
 */
export function sendHome(baseUrl: string): Middleware {
  const home = new URL(baseUrl)
  const isHere = home.protocol === 'http:' && isLoopback(home.hostname)

  return async (ctx, next) => {
    const asked = isHere ? URL.parse(`http://${hostAsked(ctx.req) ?? home.host}`) : null
    const strayed =
      asked !== null &&
      asked.hostname !== home.hostname &&
      asked.port === home.port &&
      isLoopback(asked.hostname)
    if (!strayed) return next()
    // Set on a URL, path and query cannot lead to another origin.
    const location = new URL(home)
    location.pathname = ctx.path
    location.search = ctx.search
    ctx.set('Cache-Control', 'no-store')
    ctx.redirect(location.href)
    ctx.status = 307
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}
