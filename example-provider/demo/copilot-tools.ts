// The tools of the support copilot: an MCP server of two, in examples/mcp-server.ts. The copilot
// is a client of the provider, and acts for the operator whose actor token it has.
import type { Middleware } from 'koa'
import type { ResourceServerOptions } from 'oidc-provider-impersonation-resource-server'
import { mcpServer } from '../../examples/mcp-server.ts'
import { DEMO_ORDERS } from './orders.ts'

/** @param guard the options of the orders API's guard */
export function copilotTools(
  url: string,
  guard: Omit<ResourceServerOptions, 'audience'>,
): Middleware {
  const server = mcpServer({
    ...guard,
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
