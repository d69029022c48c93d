import { createServer } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'chai'
import { mcpServer } from '../../examples/mcp-server.ts'
import type { ImpersonationUse } from '../../packages/resource-server/src/index.ts'
import { basic, deploy } from '../support/deployment.ts'
import { shared } from '../support/shared.ts'
import { listening } from '../support/token-issuer.ts'

const web = basic('web', 'web-secret')

describe('examples/mcp-server.ts, by the client of the SDK', () => {
  let audience: string
  let actor_token: string
  const server = createServer()
  const uses: ImpersonationUse[] = []

  const deployment = shared(async () => {
    audience = `${await listening(server)}/mcp`
    return deploy({
      impersonation: { softwareActors: ['web'] },
      resources: {
        [audience]: 'openid orders:read orders:write',
      },
    })
  })
  before(async () => {
    const app = mcpServer({
      issuer: deployment.issuer,
      audience,
      ordersOf: (user) => [`an order of ${user}`],
      onImpersonatedRequest: (use) => uses.push(use),
    })
    server.on('request', app)
    actor_token = await deployment.actorToken()
  })

  /** Returns an access token of alice, which the copilot got for Olivia, or Olivia herself. */
  async function exchange(form: object = {}, headers: object = web): Promise<string> {
    const { status, body } = await deployment.exchange(
      {
        actor_token,
        resource: audience,
        scope: 'orders:read orders:write',
        ...form,
      },
      { ...headers },
    )
    expect(status, JSON.stringify(body)).to.equal(200)
    return body.access_token
  }

  async function connect(token: string): Promise<Client> {
    const client = new Client({ name: 'copilot', version: '1.0.0' })
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(audience), { requestInit }))
    return client
  }

  async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
    const { content, isError } = await client.callTool({ name, arguments: given })
    const [{ text }] = content as [{ text: string }]
    return { isError: isError === true, ...JSON.parse(text) }
  }

  const byCopilot = { customer: 'alice', operator: 'olivia', software: 'web' }

  it('software pays nothing out; Olivia herself does', async () => {
    const copilot = await connect(await exchange())
    expect(await call(copilot, 'pay_out', { order: '7' })).to.deep.equal({
      isError: true,
      refused: 'not while software acts for the user',
      by: byCopilot,
    })
    await copilot.close()
    expect(uses.filter(({ refused }) => refused?.by === 'person')).to.have.length(1)
    const olivia = await connect(await exchange({}, {}))
    const { result, by } = await call(olivia, 'pay_out', { order: '7' })
    expect([result, by]).to.deep.equal(['paid 7', { customer: 'alice', operator: 'olivia' }])
    await olivia.close()
  })
})
