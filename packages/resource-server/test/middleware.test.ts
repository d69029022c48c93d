import { createServer, type RequestListener } from 'node:http'
import { expect } from 'chai'
import express from 'express'
import Fastify from 'fastify'
import Koa from 'koa'
import mount from 'koa-mount'
import { listening } from '../../../test/support/token-issuer.ts'
import {
  denyImpersonation,
  RequestRefused,
  type Requirement,
  type ResourceServer,
  requireScope,
  StatusUnavailable,
} from '../src/index.ts'
import { send } from './send.ts'
import { BASE, type BoundClient, boundClient } from './sender/bound-client.ts'

type Build = (api: ResourceServer, requirements: Requirement[]) => RequestListener

/** Answers what the guard says to a request, in a framework for which it has no middleware. */
async function judged(authenticate: () => ReturnType<ResourceServer['authenticate']>) {
  try {
    return { status: 200, headers: {}, body: JSON.stringify((await authenticate()).userId) }
  } catch (error) {
    if (error instanceof StatusUnavailable) {
      return { status: error.status, headers: error.headers, body: '' }
    }
    if (!(error instanceof RequestRefused)) return { status: 500, headers: {}, body: '' }
    const headers = {
      'www-authenticate': error.challenge('api'),
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
    }
    return { status: error.status, headers, body: JSON.stringify(error) }
  }
}

function koa(
  api: ResourceServer,
  requirements: Requirement[],
): Koa<{ caller: { userId: string } }> {
  const app = new Koa<{ caller: { userId: string } }>()
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
function silent(app: Koa): Koa {
  app.silent = true
  return app
}

function quiet(app: express.Express): express.Express {
  return app.set('env', 'test')
}

const forms: Record<string, Build> = {
  Koa: (api, requirements) => koa(api, requirements).callback(),
  'Koa, mounted': (api, requirements) =>
    silent(new Koa().use(mount('/v1', koa(api, requirements)))).callback(),
  Express: (api, requirements) => quiet(express().use(router(api, requirements))),
  'Express, mounted': (api, requirements) => quiet(express().use('/v1', router(api, requirements))),
  'Koa in Express': (api, requirements) => express().use('/v1', koa(api, requirements).callback()),
  'plain http': (api, requirements) => async (request, response) => {
    const { status, headers, body } = await judged(() => api.authenticate(request, ...requirements))
    response.writeHead(status, headers).end(body)
  },
  'a Request of the Fetch API': (api, requirements) => async (request, response) => {
    // As the adapters of Hono and others do it.
    const headers = new Headers()
    for (let n = 0; n < request.rawHeaders.length; n += 2) {
      headers.append(String(request.rawHeaders[n]), String(request.rawHeaders[n + 1]))
    }
    const fetched = new Request(new URL(String(request.url), 'http://localhost'), { headers })
    const answer = await judged(() => api.authenticate(fetched, ...requirements))
    response.writeHead(answer.status, answer.headers).end(answer.body)
  },
}

for (const [name, build] of Object.entries(forms)) {
  describe(`the guard in ${name}`, () => {
    let client: BoundClient
    let origin: string
    let realm: string
    let close: () => void

    before(async () => {
      client = await boundClient()
      const api = client.guardWith({ baseUrl: BASE })
      const server = createServer(build(api, [requireScope('orders:read'), denyImpersonation()]))
      origin = await listening(server)
      realm = /http|Fetch/.test(name) ? 'api' : client.tokens.issuer
      close = () => {
        server.close()
        server.closeAllConnections()
      }
    })
    after(() => {
      close()
      client.tokens.close()
    })

    const proof = (htu = `${BASE}/v1/orders`) => client.proof({ htu })
    const get = (headers: Record<string, string | string[]>, path = '/v1/orders?page=2') =>
      send(origin, path, headers)

    it('bearer tokens, and proofs of bound ones, pass', async () => {
      const bearer = { authorization: `Bearer ${await client.tokens.token()}` }
      const bound = { authorization: `DPoP ${client.bound}`, dpop: await proof() }
      for (const headers of [bearer, bound]) {
        const { status, body, challenge } = await get(headers)
        expect([status, body, challenge]).to.deep.equal([200, '"alice"', undefined])
      }
    })

    it('no credentials: both challenges, without an error (RFC 9449 §7.2, figure 17)', async () => {
      const { status, body, challenge, cacheControl, type } = await get({})
      expect([status, challenge, cacheControl]).to.deep.equal([
        401,
        `Bearer realm="${realm}", DPoP realm="${realm}", algs="ES256 Ed25519 EdDSA"`,
        'no-store',
      ])
      expect(type).to.equal('application/json; charset=utf-8')
      expect(JSON.parse(body)).to.deep.equal({
        error: 'invalid_token',
        error_description: 'no access token provided',
      })
    })

    it('an invalid bearer token: the error in the challenge of its scheme (figure 18)', async () => {
      const { status, challenge, body } = await get({ authorization: 'Bearer x' })
      expect([status, challenge]).to.deep.equal([
        401,
        `Bearer realm="${realm}", error="invalid_token", error_description="access token is not valid here", DPoP realm="${realm}", algs="ES256 Ed25519 EdDSA"`,
      ])
      expect(JSON.parse(body)).to.deep.equal({
        error: 'invalid_token',
        error_description: 'access token is not valid here',
      })
    })

    it('a scope is missing: error and scope in the challenge of the scheme in use', async () => {
      const cnf = { jkt: client.key.thumbprint }
      const told = `realm="${realm}", error="insufficient_scope", error_description="access token lacks the scope orders:read", scope="orders:read"`
      const poor = await client.tokens.token({ scope: 'orders:write' })
      const bearer = await get({ authorization: `Bearer ${poor}` })
      expect([bearer.status, bearer.challenge]).to.deep.equal([403, `Bearer ${told}`])
      const bound = await client.tokens.token({ scope: 'orders:write', cnf })
      const { athOf } = await import('../../../test/support/dpop.ts')
      const dpop = await client.proof({ htu: `${BASE}/v1/orders`, ath: athOf(bound) })
      const answer = await get({ authorization: `DPoP ${bound}`, dpop })
      expect([answer.status, answer.challenge]).to.deep.equal([
        403,
        `DPoP ${told}, algs="ES256 Ed25519 EdDSA"`,
      ])
    })

    it('an impersonated caller is denied', async () => {
      const token = await client.tokens.token({ jti: 'impersonation:x' })
      const { status, body } = await get({ authorization: `Bearer ${token}` })
      expect([status, JSON.parse(body).error]).to.deep.equal([403, 'access_denied'])
    })

    it('a proof that is used again, for the path inside the mount, or sent twice is refused', async () => {
      const authorization = `DPoP ${client.bound}`
      const used = await proof()
      expect((await get({ authorization, dpop: used })).status).to.equal(200)
      const wrong = [used, await proof(`${BASE}/orders`), [await proof(), await proof()]]
      for (const dpop of wrong) {
        const { status, challenge } = await get({ authorization, dpop })
        expect(status).to.equal(401)
        expect(challenge).to.match(/^DPoP realm="[^"]+", error="invalid_dpop_proof", /)
      }
    })

    it('a provider whose keys cannot be had: the error of the framework, and nothing passes', async () => {
      const down = await boundClient()
      down.tokens.answer.jwks = (_request, response) => response.writeHead(503).end()
      const server = createServer(build(down.guardWith({ baseUrl: BASE }), []))
      try {
        const headers = { authorization: `Bearer ${await down.tokens.token()}` }
        const answer = await send(await listening(server), '/v1/orders', headers)
        expect([answer.status, answer.challenge]).to.deep.equal([500, undefined])
        expect(answer.body).to.not.include('alice')
      } finally {
        server.close()
        server.closeAllConnections()
        down.tokens.close()
      }
    })

    it('a status list that cannot be had: 503 and when to come again, and nothing passes', async () => {
      // The issuer answers its discovery document at every path.
      const uri = `${client.tokens.issuer}/status-lists/a`
      const server = createServer(build(client.guardWith({ baseUrl: BASE }), []))
      try {
        const jti = 'impersonation:x'
        const status = { status_list: { idx: 1, uri } }
        const headers = { authorization: `Bearer ${await client.tokens.token({ jti, status })}` }
        const answer = await send(await listening(server), '/v1/orders', headers)
        expect([answer.status, answer.challenge]).to.deep.equal([503, undefined])
        expect([answer.retryAfter, answer.cacheControl]).to.deep.equal(['1', 'no-store'])
        expect(answer.body).to.not.include('alice')
      } finally {
        server.close()
        server.closeAllConnections()
      }
    })

    it('the Host header says nothing about where the API is', async () => {
      const authorization = `DPoP ${client.bound}`
      const host = 'other.example.com'
      const stolen = await proof(`https://${host}/v1/orders`)
      expect((await get({ host, authorization, dpop: stolen })).status).to.equal(401)
      expect((await get({ host, authorization, dpop: await proof() })).status).to.equal(200)
    })
  })
}

it('the guard in Fastify judges its requests as they are', async () => {
  const client = await boundClient()
  const api = client.guardWith({ baseUrl: BASE })
  const app = Fastify()
  app.get('/orders', async (request) => (await api.authenticate(request)).userId)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  try {
    const headers = { authorization: `DPoP ${client.bound}`, dpop: await client.proof() }
    const answer = await send(origin, '/orders?page=2', headers)
    expect([answer.status, answer.body]).to.deep.equal([200, 'alice'])
  } finally {
    await app.close()
    client.tokens.close()
  }
})
