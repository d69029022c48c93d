import { createServer, type Server } from 'node:http'
import { expect } from 'chai'
import Koa from 'koa'
import mount from 'koa-mount'
import { Client } from 'undici'
import { basic, deploy } from '../support/deployment.ts'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'
import { shared } from '../support/shared.ts'
import { closed, listening } from '../support/token-issuer.ts'

describe('the URL of a request for a subject token, as the provider sees it', () => {
  let key: DPoPKey
  let token: string
  let server: Server
  let client: Client
  const deployment = shared(deploy)
  before(async () => {
    key = await dpopKey()
    const dpop = await key.proof({ htu: `${deployment.issuer}/token` })
    const asked = { resource: deployment.management, scope: 'impersonate' }
    const form = { grant_type: 'client_credentials', ...asked }
    const headers = { ...basic('backend', 'backend-secret'), dpop }
    token = (await deployment.post('/oidc/token', form, headers)).body.access_token
    const routes = deployment.provider.impersonation.routes()
    const app = new Koa({ proxy: true })
    app.use(mount('/admin', routes)).use(routes)
    const handle = app.callback()
    // As Express does: what a router below a path sees is in `url`, what the client sent is not.
    server = createServer((req, res) => {
      const { url = '' } = req
      if (url.startsWith('/express/')) {
        Object.assign(req, { originalUrl: url, url: url.slice('/express'.length) })
      }
      void handle(req, res)
    })
    client = new Client(await listening(server))
  })
  after(async () => {
    await client.close()
    await closed(server)
  })

  const callers: Array<[path: string, seen: string, headers?: Record<string, string>]> = [
    ['/api/subject-tokens?x=/y/', '/api/'],
    ['/api/subject-tokens', '/api/', { 'x-forwarded-proto': 'https' }],
    ['/admin/api/subject-tokens', '/admin/api/'],
    ['/express/api/subject-tokens', '/express/api/'],
    // RFC 9112 §3.2.2
    ['http://two.example/api/subject-tokens?x=/y/', '/api/'],
  ]

  it('is at the origin of the issuer, and never at Host, by the path of each caller: for Location, and I10: for a DPoP proof', async () => {
    for (const [path, seen, headers = {}] of callers) {
      for (const origin of ['http://two.example', deployment.base]) {
        const htu = `${origin}${seen}subject-tokens`
        const response = await client.request({
          path,
          method: 'POST',
          headers: {
            host: 'two.example',
            ...headers,
            authorization: `DPoP ${token}`,
            dpop: await key.proof({ htu, ath: athOf(token) }),
            'content-type': 'application/json',
          },
          body: '{"userId":"alice"}',
        })
        await response.body.dump()
        const { location = '' } = response.headers
        const at = `${deployment.base}${seen}impersonations/`
        const expected = origin === deployment.base ? [201, at, 43] : [401, '', 0]
        const told = [String(location).slice(0, -43), String(location).slice(-43).length]
        expect([response.statusCode, ...told], path).to.deep.equal(expected)
      }
    }
  })
})
