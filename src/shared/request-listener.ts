import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Middleware } from 'koa'

/** The settings by which a Koa application reads the headers of a proxy. */
type ProxySettings = Pick<Koa, 'maxIpsCount' | 'proxy' | 'proxyIpHeader' | 'subdomainOffset'>

/**
 * A Node request listener. With `next` (Express, Connect, middie) requests for other paths go to
 * `next`.
 */
export type RequestListener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/**
 * Turns Koa middleware into a request listener.
 *
 * @param settings - the application, such as a provider, whose current proxy settings apply
 */
export function requestListener(
  middleware: Middleware,
  settings: ProxySettings | undefined,
): RequestListener {
  const passedOn = new WeakMap<IncomingMessage, () => void>()
  const app = new Koa()
  const { proxy, proxyIpHeader, maxIpsCount, subdomainOffset } = settings ?? app
  Object.assign(app, { proxy, proxyIpHeader, maxIpsCount, subdomainOffset })
  app.use(middleware)
  app.use((ctx) => {
    const passOn = passedOn.get(ctx.req)
    if (!passOn) return
    ctx.respond = false
    passOn()
  })
  const listener = app.callback()
  return (request, response, next) => {
    if (next) {
      const { statusCode } = response
      passedOn.set(request, () => {
        // Koa has set 404: restore the status from before.
        response.statusCode = statusCode
        next()
      })
    }
    listener(request, response)
  }
}
