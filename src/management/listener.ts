import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Middleware } from 'koa'
import type { Provider } from 'oidc-provider'

/** A Node request listener. With `next` (Express, Connect, middie) requests for other paths go to `next`. */
export type RequestListener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/**
 * Koa middleware as a request listener.
 *
 * @param provider whose proxy settings hold, as they are now
 */
export function requestListener(
  routes: Middleware,
  provider: Provider | undefined,
): RequestListener {
  const passedOn = new WeakMap<IncomingMessage, () => void>()
  const app = new Koa()
  const { proxy, proxyIpHeader, maxIpsCount, subdomainOffset } = provider ?? app
  Object.assign(app, { proxy, proxyIpHeader, maxIpsCount, subdomainOffset })
  app.use(routes)
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
