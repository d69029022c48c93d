// What the support copilot may do: an MCP server of two tools, in examples/mcp-server.ts. The copilot
// is a client of the provider, and acts for the operator whose actor token it has.
import type { Middleware } from 'koa'
import { mcpServer } from '../examples/mcp-server.ts'
import { DEMO_ORDERS } from './demo/orders.ts'
import { guardOptions, type OrdersOptions } from './orders.ts'

export function copilotTools(options: OrdersOptions): Middleware {
  const { url } = options
  const server = mcpServer({
    ...guardOptions(options),
    // Each tool judges the request once more, and a proof is good for one look.
    dPoP: undefined,
    audience: `${url}/mcp`,
    ordersOf: (user) => DEMO_ORDERS[user] ?? [],
  })
  return (ctx, next) => {
    if (!/^\/(?:\.well-known\/oauth-protected-resource\/)?mcp$/.test(ctx.path)) return next()
    ctx.respond = false
    server(ctx.req, ctx.res)
  }
}
