import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import express from 'express'
import { decodeJwt, importJWK, type JWTPayload, SignJWT } from 'jose'
import Koa from 'koa'
import {
  type Caller,
  denyImpersonation,
  RequestRefused,
  requireScope,
  resourceServer,
} from '../../src/resource-server/index.ts'
import { type Deployment, deploy, signingKey } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

describe('the guard of a resource server', () => {
  let deployment: Deployment
  let api: ReturnType<typeof resourceServer>
  let own: string
  let acted: string
  let unnamed: string

  before(async () => {
    deployment = await deploy()
    const { issuer, orders: audience } = deployment
    api = resourceServer({ issuer, audience })
    const options = { scope: 'openid orders:read', resource: audience }
    own = (await signIn(deployment, 'alice', options)).access_token
    const actor_token = (await signIn(deployment, 'olivia')).access_token
    const exchange = async (form: object) => {
      const subject_token = await deployment.subjectToken()
      return (await deployment.exchange({ subject_token, ...form })).body.access_token
    }
    acted = await exchange({ actor_token })
    unnamed = await exchange({})
  })
  after(() => deployment.close())

  const forge = async (change: (claims: JWTPayload) => JWTPayload, header = {}) =>
    new SignJWT(change(decodeJwt(acted)))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test', ...header })
      .sign(await importJWK(signingKey))

  it('tells the user, who acts, whether anybody does, the scopes and the claims', async () => {
    const callers: Array<Partial<Caller>> = []
    for (const token of [own, acted, unnamed]) {
      const { subject, actor, isImpersonated, scopes } = await api.authenticate(`Bearer ${token}`)
      expect(scopes.has('orders:read')).to.equal(true)
      callers.push({ subject, actor, isImpersonated })
    }
    expect(callers).to.deep.equal([
      { subject: 'alice', actor: undefined, isImpersonated: false },
      { subject: 'alice', actor: { sub: 'olivia' }, isImpersonated: true },
      { subject: 'alice', actor: undefined, isImpersonated: true },
    ])
    const { claims } = await api.authenticate(`bearer ${acted}`)
    expect(claims.client_id).to.equal('console')
  })

  async function refusal(authorization: string | undefined): Promise<RequestRefused> {
    const refused = await api.authenticate(authorization).catch((error: unknown) => error)
    if (!(refused instanceof RequestRefused)) throw new Error(`not refused: ${refused}`)
    return refused
  }

  it('no credentials: a challenge without an error code (RFC 6750 §3.1)', async () => {
    for (const authorization of [undefined, '', 'Basic x', 'DPoP x']) {
      const refused = await refusal(authorization)
      expect([refused.status, refused.challenge('orders')]).to.deep.equal([
        401,
        'Bearer realm="orders"',
      ])
    }
  })

  it('401 invalid_token for whatever is no access token for this API', async () => {
    const now = Math.floor(Date.now() / 1000)
    const idToken = (await signIn(deployment, 'alice')).id_token
    const tokens = {
      garbage: 'garbage',
      empty: '',
      'an ID token': idToken,
      'for another audience': await deployment.m2mToken(),
      expired: await forge((claims) => ({ ...claims, exp: now - 10 })),
      'of another issuer': await forge((claims) => ({ ...claims, iss: 'https://else.example' })),
      'typ JWT': await forge((claims) => claims, { typ: 'JWT' }),
      'without jti': await forge(({ jti: _, ...claims }) => claims),
      'of an unknown key': await forge((claims) => claims, { kid: 'unknown' }),
      'sender-constrained': await forge((claims) => ({ ...claims, cnf: { jkt: 'x' } })),
      'act without sub': await forge((claims) => ({ ...claims, act: {} })),
      'act a string': await forge((claims) => ({ ...claims, act: 'olivia' })),
      'alg none': `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${acted.split('.')[1]}.`,
    }
    for (const [what, token] of Object.entries(tokens)) {
      const refused = await refusal(`Bearer ${token}`)
      expect([refused.status, refused.error], what).to.deep.equal([401, 'invalid_token'])
      expect(JSON.stringify([refused, refused.challenge('x')])).to.not.include(token || 'Bearer  ')
    }
  })

  it('requireScope and denyImpersonation, with the words of RFC 6750', async () => {
    const write = requireScope('orders:write')
    const lacking = await api.authenticate(`Bearer ${own}`, write).catch((error: unknown) => error)
    expect(lacking).to.include({ status: 403, error: 'insufficient_scope', scope: 'orders:write' })
    expect((lacking as RequestRefused).challenge('x')).to.include('scope="orders:write"')
    expect((await api.authenticate(`Bearer ${own}`, denyImpersonation())).subject).to.equal('alice')
    for (const token of [acted, unnamed]) {
      const denied = await api
        .authenticate(`Bearer ${token}`, denyImpersonation())
        .catch((error: unknown) => error)
      expect(denied).to.include({ status: 403, error: 'access_denied' })
    }
  })

  it('a chain of actors is passed on whole', async () => {
    const act = { sub: 'bob', act: { sub: 'olivia' } }
    const token = await forge((claims) => ({ ...claims, act }))
    expect((await api.authenticate(`Bearer ${token}`)).actor).to.deep.equal(act)
  })

  it('a provider that cannot be reached is trouble, not an invalid token, and passes', async () => {
    const server = createServer((_request, response) => response.writeHead(503).end())
    const base = await listening(server)
    const { orders: audience } = deployment
    const down = resourceServer({ issuer: deployment.issuer, audience, jwksUri: `${base}/jwks` })
    const gone = resourceServer({ issuer: base, audience })
    for (const guard of [down, gone]) {
      const failure = await guard.authenticate(`Bearer ${acted}`).catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(Error).and.not.instanceOf(RequestRefused)
    }
    server.removeAllListeners('request')
    server.on('request', async (_request, response) => {
      response.end(await (await fetch(`${deployment.issuer}/jwks`)).text())
    })
    expect((await down.authenticate(`Bearer ${acted}`)).subject).to.equal('alice')
    server.close()
    server.closeAllConnections()
  })

  const forms: Record<string, () => Parameters<typeof createServer>[1]> = {
    Koa() {
      const app = new Koa()
      app.silent = true
      app.use((ctx, next) =>
        ctx.path === '/email'
          ? api.koa(requireScope('orders:read'), denyImpersonation())(ctx, next)
          : api.koa(requireScope('orders:read'))(ctx, next),
      )
      app.use((ctx) => {
        ctx.body = { subject: ctx.state.caller.subject, actor: ctx.state.caller.actor?.sub }
      })
      return app.callback()
    },
    Express() {
      const app = express()
      const answer: express.RequestHandler = ({ caller }, response) => {
        response.json({ subject: caller?.subject, actor: caller?.actor?.sub })
      }
      app.get('/email', api.connect(requireScope('orders:read'), denyImpersonation()), answer)
      app.get('/orders', api.connect(requireScope('orders:read')), answer)
      return app
    },
  }
  for (const [name, form] of Object.entries(forms)) {
    it(`as ${name} middleware`, async () => {
      const server = createServer(form())
      const base = await listening(server)
      const get = async (path: string, token?: string) => {
        const headers = token ? { authorization: `Bearer ${token}` } : {}
        const response = await fetch(`${base}${path}`, { headers })
        const challenge = response.headers.get('www-authenticate')
        return { status: response.status, challenge, body: await response.json() }
      }
      expect(await get('/orders', acted)).to.deep.equal({
        status: 200,
        challenge: null,
        body: { subject: 'alice', actor: 'olivia' },
      })
      expect((await get('/email', own)).status).to.equal(200)
      const denied = await get('/email', acted)
      expect([denied.status, denied.body]).to.deep.equal([
        403,
        { error: 'access_denied', error_description: 'not while somebody acts for the user' },
      ])
      const missing = await get('/orders')
      expect([missing.status, missing.challenge]).to.deep.equal([
        401,
        `Bearer realm="${deployment.issuer}"`,
      ])
      server.close()
      server.closeAllConnections()
    })
  }
})

async function listening(server: Server): Promise<string> {
  server.unref().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
