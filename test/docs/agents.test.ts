import { readFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import type Router from '@koa/router'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import Koa from 'koa'
import type { Authorize, ProviderConfiguration } from '../../src/index.ts'
import { basic, bearer, type Deployment, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { apiToken } from '../support/jwts.ts'
import { shared } from '../support/shared.ts'
import { listening } from '../support/token-issuer.ts'
import { blocksOf, snippetsOf } from './documents.ts'

const ROOT = new URL('../../', import.meta.url)
const copilot = basic('copilot', 'copilot-secret')

describe('docs/agents.md', () => {
  const snippets = shared(() => snippetsOf('agents.md'))
  let deployment: Deployment
  let actor_token: string
  /** The blocks of JSON: a request for a subject token, and two payloads. */
  let shown: Record<string, unknown>[]

  before(async () => {
    shown = (await blocksOf('agents.md', 'json')).map((json) => JSON.parse(json))
    process.env.COPILOT_SECRET = 'copilot-secret'
    const { configuration } = await snippets.loadFile('provider.ts')
    delete process.env.COPILOT_SECRET
    const { softwareReads } = await snippets.loadFile('software-reads.ts')
    const { clients = [], features } = configuration as ProviderConfiguration
    deployment = await deploy({
      clients: [...clients],
      impersonation: { ...features?.impersonation, authorize: softwareReads as Authorize },
    })
    actor_token = await deployment.actorToken()
  })
  after(() => deployment?.close())

  /** Exchanges the subject token that the page asks for, or another one. */
  async function exchange(more: object = {}, form: object = {}, headers: object = copilot) {
    const { orders } = deployment
    const request = { ...shown[0], resource: orders, ...more }
    const subject_token = await deployment.subjectToken(request)
    const asked = { subject_token, resource: orders, scope: 'orders:read', ...form }
    return await deployment.exchange(asked, { ...headers })
  }

  it('shows the tokens that software gets, for an operator and on its own', async () => {
    const forOlivia = await exchange({}, { actor_token })
    const alone = await exchange({ mayAct: { clientId: 'copilot' } })
    const payloads = [forOlivia, alone].map(({ body }) => decodeJwt(String(body.access_token)))
    expect(payloads.map(({ sub, act }) => ({ sub, act }))).to.deep.equal(shown.slice(1))
  })

  it('lets software only read, for five minutes, and a person as asked', async () => {
    const both = 'orders:read orders:write'
    const wide = { scope: both, mayAct: undefined }
    const software = decodeJwt(
      String((await exchange(wide, { actor_token, scope: both })).body.access_token),
    )
    expect(software.scope).to.equal('orders:read')
    expect(Number(software.exp) - Number(software.iat)).to.equal(300)
    const person = await exchange(wide, { actor_token, scope: both, client_id: 'console' }, {})
    expect(decodeJwt(String(person.body.access_token)).scope).to.equal(both)
  })

  it('has an API that lets software read, and lets it pay nothing out', async () => {
    const { router } = await snippets.loadFile('payouts.ts', {
      'https://id.example.com/oidc': deployment.issuer,
      'https://api.example.com': deployment.orders,
      "requireScope('orders:write')": "requireScope('orders:read')",
    })
    const origin = await listening(
      createServer(new Koa().use((router as Router).routes()).callback()),
    )
    const ask = (path: string, method: string, token: string) =>
      fetch(origin + path, { method, headers: bearer(token) })
    const { access_token: acted } = (await exchange({}, { actor_token })).body
    const read = await ask('/orders', 'GET', acted)
    expect(await read.json()).to.deep.equal({
      ordersOf: 'alice',
      seenBy: { sub: 'copilot', clientId: 'copilot', act: { sub: 'olivia' } },
    })
    await expectAnswer(ask('/payouts', 'POST', acted), 403)
    await expectAnswer(ask('/payouts', 'POST', await apiToken(deployment, 'alice')), 204)
  })

  it('has an MCP server whose challenge leads to its metadata', async () => {
    const { app } = await snippets.loadFile('mcp.ts')
    const origin = await listening(createServer(app as RequestListener))
    const path = '/.well-known/oauth-protected-resource/mcp'
    const challenge = (await fetch(`${origin}/mcp`)).headers.get('www-authenticate')
    expect(challenge).to.include(`resource_metadata="https://api.example.com${path}"`)
    expect(await (await fetch(origin + path)).json()).to.deep.include({
      authorization_servers: ['https://id.example.com/oidc'],
      scopes_supported: ['orders:read'],
    })
  })

  it('shows the tools of the example as they are', async () => {
    const example = await readFile(new URL('examples/mcp-server.ts', ROOT), 'utf8')
    const [tools = ''] = await blocksOf('agents.md', 'js')
    expect(tools).to.include('requirePerson()')
    expect(example.replaceAll(/^ +/gm, '')).to.include(tools.replaceAll(/^ +/gm, ''))
  })
})
