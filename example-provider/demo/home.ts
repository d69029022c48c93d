import type { Middleware } from 'koa'
import { hostAsked } from '../headers.ts'
import { isLoopback } from '../loopback.ts'

/** The pages that people open: not what their scripts ask, and not the way back from the sign-in. */
const PAGE_PATHS = /^\/(?:$|(?:account|console)(?:$|\/(?!api\/|assets\/|callback$)))/

/**
 * Redirects from another name of this machine to the name in `baseUrl`. At http://127.0.0.1:3000,
 * for example, the page would have another origin than its requests.
 *
 * It redirects only from one loopback name to another, at the same port and without TLS. A proxy
 * may replace the host with the name of the server behind it. Such a proxy uses this port itself or
 * speaks TLS. A redirect would then be an endless loop.
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
    if (!strayed || !PAGE_PATHS.test(ctx.path) || !/^(?:GET|HEAD)$/.test(ctx.method)) return next()
    // The URL setters for path and query cannot change the origin.
    const location = new URL(home)
    location.pathname = ctx.path
    location.search = ctx.search
    ctx.set('Cache-Control', 'no-store')
    ctx.redirect(location.href)
    ctx.status = 307
  }
}
