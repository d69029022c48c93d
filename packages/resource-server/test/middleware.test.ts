import { createServer, type RequestListener } from 'node:http'
import { expect } from 'chai'
import express from 'express'
import Fastify from 'fastify'
import Koa from 'koa'
import mount from 'koa-mount'
import { listening } from '../../../test/support/token-issuer.ts'
import { denyImpersonation, type Requirement, type ResourceServer } from '../src/index.ts'
import { send } from './send.ts'
import { BASE, type BoundClient, boundClient, refusal } from './sender/bound-client.ts'

type Build = (api: ResourceServer, requirements: Requirement[]) => RequestListener

function koa(api: ResourceServer, requirements: Requirement[]): Koa {
  const app = new Koa()
  app.silent = true
  app.use(api.koa(...requirements) as Koa.Middleware)
  app.use((ctx) => {
    ctx.body = JSON.stringify(ctx.state.caller.userId)
  })
  return app
}

function router(api: ResourceServer, requirements: Requirement[]): express.Router {
  const routes = express.Router()
  routes.use(api.connect(...requirements))
  routes.use(({ caller }, response) => void response.end(JSON.stringify(caller?.userId)))
  return routes
}

/** Errors are for the test to see, not for the terminal. */
const quiet = () => express().set('env', 'test')

const forms: Record<string, Build> = {
  Koa: (api, requirements) => koa(api, requirements).callback(),
  'Koa, mounted': (api, requirements) => {
    const app = new Koa().use(mount('/v1', koa(api, requirements)))
    app.silent = true
    return app.callback()
  },
  Express: (api, requirements) => quiet().use(router(api, requirements)),
  'Express, mounted': (api, requirements) => quiet().use('/v1', router(api, requirements)),
  'Koa in Express': (api, requirements) => express().use('/v1', koa(api, requirements).callback()),
}

for (const [name, build] of Object.entries(forms)) {
  describe(`the guard in ${name}`, () => {
    let client: BoundClient
    const closing: Array<() => void> = []

    before(async () => {
      client = await boundClient()
      closing.push(() => client.tokens.close())
    })
    after(() => {
      for (const close of closing) close()
    })

    /** Serves the API, and answers what asks it. */
    async function serve({ guardWith } = client, ...requirements: Requirement[]) {
      const server = createServer(build(guardWith({ baseUrl: BASE }), requirements))
      closing.push(() => {
        server.close()
        server.closeAllConnections()
      })
      const origin = await listening(server)
      return (headers: Record<string, string | string[]>) =>
        send(origin, '/v1/orders?page=2', headers)
    }

    const proof = (htu = `${BASE}/v1/orders`) => client.proof({ htu })

    it('bearer tokens, and proofs of bound ones, pass', async () => {
      const get = await serve()
      const bearer = { authorization: `Bearer ${await client.tokens.token()}` }
      const bound = { authorization: `DPoP ${client.bound}`, dpop: await proof() }
      for (const headers of [bearer, bound]) {
        const { status, body, challenge } = await get(headers)
        expect([status, body, challenge]).to.deep.equal([200, '"alice"', undefined])
      }
    })

    it('a refusal has its status, both challenges and its error, and is not cached', async () => {
      const get = await serve(client, denyImpersonation())
      const { issuer } = client.tokens
      const offer = `DPoP realm="${issuer}", algs="ES256 Ed25519 EdDSA"`
      const { status, body, challenge, cacheControl, type } = await get({})
      // RFC 9449 §7.2, figure 17.
      expect([status, challenge]).to.deep.equal([401, `Bearer realm="${issuer}", ${offer}`])
      expect(cacheControl).to.equal('no-store')
      expect(type).to.equal('application/json; charset=utf-8')
      expect(JSON.parse(body)).to.deep.equal({
        error: 'invalid_token',
        error_description: 'no access token provided',
      })
      // Figure 18.
      const invalid = await get({ authorization: 'Bearer x' })
      expect(invalid.challenge).to.equal(
        `Bearer realm="${issuer}", error="invalid_token", error_description="access token is not valid here", ${offer}`,
      )
      const token = await client.tokens.token({ jti: 'impersonation:x' })
      const denied = await get({ authorization: `Bearer ${token}` })
      expect([denied.status, JSON.parse(denied.body).error]).to.deep.equal([403, 'access_denied'])
    })

    it('a proof that is used again, for the path inside the mount, for the Host header, or sent twice is refused', async () => {
      const get = await serve()
      const authorization = `DPoP ${client.bound}`
      const host = 'other.example.com'
      const used = await proof()
      expect((await get({ host, authorization, dpop: used })).status).to.equal(200)
      for (const dpop of [
        used,
        await proof(`${BASE}/orders`),
        await proof(`https://${host}/v1/orders`),
        [await proof(), await proof()],
      ]) {
        const { status, challenge } = await get({ host, authorization, dpop })
        expect(status).to.equal(401)
        expect(challenge).to.match(/^DPoP realm="[^"]+", error="invalid_dpop_proof", /)
      }
    })

    it('a provider whose keys cannot be had: the error of the framework, and nothing passes', async () => {
      const down = await boundClient()
      closing.push(() => down.tokens.close())
      down.tokens.answer.jwks = (_request, response) => response.writeHead(503).end()
      const get = await serve(down)
      const answer = await get({ authorization: `Bearer ${await down.tokens.token()}` })
      expect([answer.status, answer.challenge]).to.deep.equal([500, undefined])
      expect(answer.body).to.not.include('alice')
    })

    it('a status list that cannot be had: 503 and when to come again, and nothing passes', async () => {
      // The issuer answers its discovery document at every path.
      const status = { status_list: { idx: 1, uri: `${client.tokens.issuer}/status-lists/a` } }
      const token = await client.tokens.token({ jti: 'impersonation:x', status })
      const answer = await (await serve())({ authorization: `Bearer ${token}` })
      expect([answer.status, answer.challenge]).to.deep.equal([503, undefined])
      expect([answer.retryAfter, answer.cacheControl]).to.deep.equal(['1', 'no-store'])
      expect(answer.body).to.not.include('alice')
    })
  })
}

describe('the guard without a middleware', () => {
  let client: BoundClient
  let api: ResourceServer
  before(async () => {
    client = await boundClient()
    api = client.guardWith({ baseUrl: BASE })
  })
  after(() => client.tokens.close())

  it('in Fastify judges its requests as they are', async () => {
    const app = Fastify()
    app.get('/orders', async (request) => (await api.authenticate(request)).userId)
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    try {
      const headers = { authorization: `DPoP ${client.bound}`, dpop: await client.proof() }
      const answer = await send(origin, '/orders?page=2', headers)
      expect([answer.status, answer.body]).to.deep.equal([200, 'alice'])
    } finally {
      await app.close()
    }
  })

  it('judges a Request of the Fetch API, and refuses two proofs in it', async () => {
    const url = 'http://localhost/orders?page=2'
    const headers = new Headers({ authorization: `DPoP ${client.bound}` })
    const judge = () => api.authenticate(new Request(url, { headers }))
    headers.set('dpop', await client.proof())
    expect((await judge()).userId).to.equal('alice')
    headers.set('dpop', await client.proof())
    headers.append('dpop', await client.proof())
    expect((await refusal(judge())).message).to.equal('DPoP proof must be one JWT')
  })
})
