import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Middleware } from 'koa'
import type { RequestListener } from 'oidc-provider-impersonation'

/** Koa middleware as a request listener of Node, Express, Connect and their like. */
export function requestListener(
  middleware: Middleware,
  { proxy, proxyIpHeader, maxIpsCount }: Pick<Koa, 'maxIpsCount' | 'proxy' | 'proxyIpHeader'>,
): RequestListener {
  const passedOn = new WeakMap<IncomingMessage, () => void>()
  const app = new Koa({ proxy, proxyIpHeader, maxIpsCount })
  app.use(middleware)
  app.use((ctx) => {
    const passOn = passedOn.get(ctx.req)
    if (!passOn) return
    ctx.respond = false
    passOn()
  })
  const listener = app.callback()
  return (request: IncomingMessage, response: ServerResponse, next) => {
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
