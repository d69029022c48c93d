// An MCP server over a shop's orders, for a support copilot: it reads, and a person has to pay out.
// The guard of resource servers judges every request, so an impersonation that has ended is refused
// here within 8 seconds, as at every API.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express, { type Express, type Request } from 'express'
import {
  type Caller,
  RequestRefused,
  type Requirement,
  type ResourceServerOptions,
  requirePerson,
  requireScope,
  resourceServer,
} from 'oidc-provider-impersonation-resource-server'
import { z } from 'zod'

/** Those of the guard: `audience` is the URL of this server, its resource indicator. */
export interface McpOptions extends ResourceServerOptions {
  readonly ordersOf: (user: string) => unknown
}

export function mcpServer({ ordersOf, ...options }: McpOptions): Express {
  const api = resourceServer({
    ...options,
    resourceMetadata: { scopes: ['orders:read', 'orders:write'], name: 'Orders' },
  })
  const app = express()
  // Discovery (RFC 9728), and every request of MCP.
  app.use(api.connect(requireScope('orders:read')))
  app.post('/mcp', express.json(), async (request, response) => {
    const server = toolsFor(request)
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    response.on('close', () => server.close())
    await server.connect(transport)
    await transport.handleRequest(request, response, request.body)
  })
  app.all('/mcp', (_request, response) => void response.set('Allow', 'POST').sendStatus(405))
  return app

  function toolsFor(request: Request & { caller?: Caller }): McpServer {
    const { caller } = request
    if (!caller) throw new Error('the guard comes first')
    /**
     * Judges the request once more, for this tool, so that the audit shows the refusal. It is for bearer
     * tokens: a DPoP proof is good for one look.
     */
    const answer = async (act: () => unknown, ...requirements: Requirement[]) => {
      try {
        await api.authenticate(request, ...requirements)
      } catch (error) {
        if (!(error instanceof RequestRefused)) throw error
        return { isError: true, ...asText({ refused: error.message, by: namesOf(caller) }) }
      }
      return asText({ result: act(), by: namesOf(caller) })
    }
    const server = new McpServer({ name: 'orders', version: '1.0.0' })
    server.registerTool('list_orders', { description: "The customer's orders" }, () =>
      answer(() => ordersOf(caller.userId)),
    )
    server.registerTool(
      'pay_out',
      { description: 'Pays money back', inputSchema: { order: z.string() } },
      ({ order }) => answer(() => `paid ${order}`, requirePerson(), requireScope('orders:write')),
    )
    return server
  }
}

/** Software, operator and customer, for the reader of the answer. */
function namesOf({ userId, actor }: Caller) {
  const isSoftware = actor?.clientId !== undefined
  return {
    customer: userId,
    operator: isSoftware ? actor.act?.sub : actor?.sub,
    software: isSoftware ? actor.sub : undefined,
  }
}

function asText(value: object) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(value) }] }
}
