import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import mount from 'koa-mount'
import { Client } from 'undici'
import { type Deployment, deploy } from '../support/deployment.ts'

describe('Location of an issued subject token', () => {
  let deployment: Deployment
  let token: string
  let server: Server
  let client: Client
  before(async () => {
    deployment = await deploy()
    token = await deployment.m2mToken()
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
    server.listen(0, '127.0.0.1').unref()
    await once(server, 'listening')
    client = new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  after(async () => {
    await client.close()
    server.close()
    server.closeAllConnections()
    await deployment.close()
  })

  const callers: Array<[path: string, headers: Record<string, string>, expected: string]> = [
    ['/api/subject-tokens?x=/y/', { host: 'two.example' }, '/api/'],
    ['/api/subject-tokens', { host: 'two.example', 'x-forwarded-proto': 'https' }, '/api/'],
    ['/admin/api/subject-tokens', { host: 'two.example' }, '/admin/api/'],
    ['/express/api/subject-tokens', { host: 'two.example' }, '/express/api/'],
    // RFC 9112 §3.2.2
    ['http://two.example/api/subject-tokens?x=/y/', { host: 'two.example' }, '/api/'],
  ]

  it('is beside the path that each caller used, at the origin of the issuer', async () => {
    for (const [path, headers, expected] of callers) {
      const response = await client.request({
        path,
        method: 'POST',
        headers: {
          ...headers,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
        body: '{"userId":"alice"}',
      })
      await response.body.dump()
      expect(response.statusCode).to.equal(201)
      const location = String(response.headers.location)
      expect(location.slice(0, -43)).to.equal(`${deployment.base}${expected}impersonations/`)
      expect(location.slice(-43)).to.match(/^[A-Za-z0-9_-]{43}$/)
    }
  })
})
