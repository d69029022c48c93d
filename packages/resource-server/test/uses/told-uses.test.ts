import { createServer, type RequestListener } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import express from 'express'
import Fastify from 'fastify'
import Koa from 'koa'
import { listening } from '../../../../test/support/token-issuer.ts'
import {
  type Caller,
  denyImpersonation,
  type ImpersonationUse,
  RequestRefused,
  type Requirement,
  type ResourceServerOptions,
  requireScope,
} from '../../src/index.ts'
import { send } from '../send.ts'
import { type StatusProvider, startStatusProvider } from '../status/status-provider.ts'
import { type DescribedUses, leave, toldUses } from './told-uses.ts'

const UNBOUND = 'a sender-constrained access token is no bearer token'
const ACTING = 'not while an operator acts for the user'
const LACKING = 'access token lacks the scope admin'

describe('onImpersonatedRequest', () => {
  let provider: StatusProvider
  let told: DescribedUses
  let closing: (() => unknown)[]
  let impersonated: { authorization: string }

  beforeEach(async () => {
    provider = await startStatusProvider()
    told = toldUses()
    closing = [() => provider.close()]
    impersonated = await bearer({})
  })
  afterEach(async () => {
    for (const close of closing) await close()
  })

  const bearer = async (claims: object) => ({
    authorization: `Bearer ${await provider.impersonated(claims)}`,
  })
  const guarded = (options?: Partial<ResourceServerOptions>) =>
    provider.guard({ onImpersonatedRequest: told.onImpersonatedRequest, ...options })
  async function serving(listener: RequestListener): Promise<string> {
    const server = createServer(listener)
    closing.push(() => {
      server.close()
      server.closeAllConnections()
    })
    return await listening(server)
  }
  /** A server that answers 200 to what a guard lets pass. */
  function behind(
    requirements: Requirement[],
    options?: Partial<ResourceServerOptions>,
  ): Promise<string> {
    const api = guarded(options)
    const app = express().set('env', 'test')
    app.use(api.connect(...requirements))
    app.use((_request, response) => void response.end('orders'))
    return serving(app)
  }
  /** What is told of one request. */
  async function useOf(origin: string, headers: Record<string, string>, path = '/orders') {
    const { status } = await send(origin, path, headers)
    const [use, ...more] = await told.take(1)
    expect(more).to.deep.equal([])
    expect(use?.status).to.equal(status)
    return use
  }

  const failing = () => {
    throw new Error('postgres://user:password@host')
  }
  const weekdays = () => {
    throw new RequestRefused(403, { error: 'access_denied', description: 'not on Sundays' })
  }
  const carefully = async (caller: Caller) => denyImpersonation()(caller)

  it('tells what refused, and nothing of the message of a failure', async () => {
    provider.ended.add(7)
    const ended = { status: provider.status(7) }
    const missing = { status: provider.status(1, `${provider.issuer}/status-lists/none`) }
    const bound = { cnf: { jkt: 'A'.repeat(43) } }
    for (const [claims, requirements, status, ...expected] of [
      [ended, [], 401, 'status', 'invalid_token', 'impersonation has ended'],
      [missing, [], 503, 'status', undefined, 'the check failed'],
      [bound, [], 401, 'sender', 'invalid_token', UNBOUND],
      [{}, [weekdays], 403, 'requirement', 'access_denied', 'not on Sundays'],
      [{}, [carefully], 403, 'impersonation', 'access_denied', ACTING],
      [{}, [requireScope('admin')], 403, 'scope', 'insufficient_scope', LACKING],
      [{}, [failing], 500, 'requirement', undefined, 'the check failed'],
    ] as const) {
      const use = await useOf(await behind([...requirements]), await bearer(claims))
      const { by, error, description } = use?.refused ?? {}
      expect([use?.status, by, error, description]).to.deep.equal([status, ...expected])
    }
    const use = await useOf(await behind([], { requireStatus: true }), impersonated)
    expect(use?.refused?.by).to.equal('status')
  })

  it('tells no word of a token that is ordinary, forged, expired, or of another API', async () => {
    const origin = await behind([])
    const { authorization: good } = impersonated
    for (const [authorization, status] of [
      [`${good.slice(0, -86)}${'A'.repeat(86)}`, 401],
      [(await bearer({ exp: 1 })).authorization, 401],
      [(await bearer({ aud: 'https://other.example.com' })).authorization, 401],
      [`Bearer ${await provider.tokens.token()}`, 200],
    ] as const) {
      expect((await send(origin, '/orders', { authorization })).status).to.equal(status)
    }
    expect(await told.take(0)).to.deep.equal([])
  })

  describe('tells who acts', () => {
    it('without an id where the jti has none, without an actor where the token names none', async () => {
      const origin = await behind([])
      const named = await useOf(origin, await bearer({ jti: 'own', act: { sub: 'olivia' } }))
      expect(named).to.not.have.property('id')
      expect(named?.actor).to.deep.equal({ sub: 'olivia' })
      const nameless = await useOf(origin, impersonated)
      expect(nameless).to.include({ id: 'x' }).and.not.to.have.property('actor')
      const empty = await useOf(origin, await bearer({ jti: 'impersonation:' }))
      expect(empty).to.not.have.property('id')
    })

    it('frozen all the way down, plain, and the same after JSON', async () => {
      const headers = await bearer({ act: { sub: 'olivia', act: { sub: 'oscar' } } })
      const use = await useOf(await behind([denyImpersonation()]), headers)
      for (const part of [use, use?.actor, use?.actor?.act, use?.refused]) {
        expect(part).to.be.an('object')
        expect(part).to.satisfy(Object.isFrozen)
        expect(Object.getPrototypeOf(part)).to.equal(Object.prototype)
      }
      expect(JSON.parse(JSON.stringify(use))).to.deep.equal(use)
    })
  })

  describe('tells the path', () => {
    it('whole, however long it is, and never the query', async () => {
      const path = `/orders/${'%C3%A9/'.repeat(1500)}`
      const use = await useOf(await behind([]), impersonated, `${path}?token=secret&a=/b#c`)
      expect(use?.path).to.equal(path)
      expect(JSON.stringify(use)).to.not.include('secret')
    })

    it('of a request target in absolute form, without what stands before it', async () => {
      const origin = await behind([])
      for (const [target, path] of [
        ['http://user:secret@host:80/orders?secret', '/orders'],
        ['http://host?secret', '/'],
        ['//host/orders', '//host/orders'],
      ] as const) {
        const use = await useOf(origin, impersonated, target)
        expect(use?.path, target).to.equal(path)
      }
    })

    it('neither method nor path where the guard got the header alone, and each time', async () => {
      const api = guarded()
      for (const _ of [1, 2]) await api.authenticate(impersonated.authorization)
      const uses = await told.take(2)
      expect(uses).to.have.lengthOf(2)
      expect(uses[0]).to.not.have.any.keys('method', 'path', 'status', 'refused')
      expect(uses[0]).to.include({ userId: 'alice', client: 'console' })
    })

    it('of a Request of the Fetch API', async () => {
      const url = 'https://api.example.com/v1/orders?q=secret'
      const request = new Request(url, { method: 'DELETE', headers: impersonated })
      await guarded().authenticate(request)
      const [use] = await told.take(1)
      expect(use).to.include({ method: 'DELETE', path: '/v1/orders' })
      expect(use).to.not.have.property('status')
    })
  })

  describe('is called once for a request', () => {
    it('that two guards let pass, of one resourceServer() and of two', async () => {
      const [first, second] = [guarded(), guarded()]
      const app = new Koa()
      for (const guard of [first.koa(), first.koa(requireScope('orders:read')), second.koa()]) {
        app.use(guard as Koa.Middleware)
      }
      app.use(async (ctx) => {
        await first.authenticate(ctx.req)
        await first.authenticate(ctx.request)
        ctx.body = 'orders'
      })
      await useOf(await serving(app.callback()), impersonated)
    })

    it('that several refuse: the first refusal, although a later guard lets it pass', async () => {
      const api = guarded()
      const origin = await serving(async (request, response) => {
        const shown = Object.assign(request, { res: response })
        const refused = () => {}
        await api.authenticate(shown)
        await api.authenticate(shown, denyImpersonation()).catch(refused)
        await api.authenticate(shown, requireScope('admin')).catch(refused)
        await api.authenticate(shown)
        response.end()
      })
      const use = await useOf(origin, impersonated)
      expect([use?.status, use?.refused?.by]).to.deep.equal([200, 'impersonation'])
    })

    it('in Fastify, by the request of middie and its own', async () => {
      const api = guarded()
      const app = Fastify()
      await app.register(import('@fastify/middie'))
      app.use(api.connect())
      app.get('/orders', async (request, reply) => {
        await api.authenticate(request, denyImpersonation()).catch(() => void reply.code(403))
        return 'answer'
      })
      closing.push(() => app.close())
      const origin = await app.listen({ port: 0, host: '127.0.0.1' })
      const use = await useOf(origin, impersonated)
      expect([use?.status, use?.refused?.by]).to.deep.equal([403, 'impersonation'])
    })

    it('but once for each function, and for each token', async () => {
      const other: ImpersonationUse[] = []
      const api = guarded()
      const second = guarded({ onImpersonatedRequest: (use) => other.push(use) })
      const exchanged = await bearer({ jti: 'impersonation:y' })
      const origin = await serving(async (request, response) => {
        const shown = Object.assign(request, { res: response })
        await api.authenticate(shown)
        await second.authenticate(shown)
        Object.assign(request.headers, exchanged)
        await api.authenticate(shown)
        response.end()
      })
      await send(origin, '/orders', impersonated)
      const uses = await told.take(2)
      expect(uses.map(({ id }) => id)).to.deep.equal(['x', 'y'])
      expect(other.map(({ id }) => id)).to.deep.equal(['x'])
    })

    it('and once more for a refusal that comes after the call: none is lost', async () => {
      const api = guarded()
      const origin = await serving(async (request, response) => {
        await api.authenticate(request)
        await wait(20)
        await api.authenticate(request, denyImpersonation()).catch(() => {})
        await api.authenticate(request, denyImpersonation()).catch(() => {})
        response.end()
      })
      await send(origin, '/orders', impersonated)
      const uses = await told.take(2)
      expect(uses.map(({ refused }) => refused?.by)).to.deep.equal([undefined, 'impersonation'])
    })
  })

  describe('comes after the answer', () => {
    it('and before the server that ends says that it is closed', async () => {
      const api = guarded()
      const seen: unknown[] = []
      const server = createServer((request, response) =>
        api.connect()(request, response, () => {
          server.close(() => seen.push(...told.uses))
          response.setHeader('connection', 'close').end()
        }),
      )
      await send(await listening(server), '/orders', impersonated)
      await told.take(1)
      expect(seen).to.have.lengthOf(1)
    })

    it('where the client has gone while the status was looked up', async () => {
      let isAsked = false
      const gone = Promise.withResolvers<void>()
      const { answer } = provider
      provider.answer = async (request, response) => {
        isAsked = true
        await gone.promise
        answer(request, response)
      }
      const api = guarded()
      const origin = await serving((request, response) => {
        response.once('close', gone.resolve)
        api.connect()(request, response, () => response.end('orders'))
      })
      const headers = await bearer({ status: provider.status(1) })
      await leave(`${origin}/orders`, headers, () => isAsked)
      const [use, ...more] = await told.take(1)
      expect(more).to.deep.equal([])
      expect(use?.path).to.equal('/orders')
      expect(use).to.not.have.property('status')
    })

    it('where the client goes in the middle of the answer: the status that it got', async () => {
      const api = guarded()
      let isAnswering = false
      const origin = await serving((request, response) =>
        api.connect()(request, response, () => {
          response.write('a part')
          isAnswering = true
        }),
      )
      await leave(`${origin}/orders`, impersonated, () => isAnswering)
      const [use] = await told.take(1)
      expect(use?.status).to.equal(200)
    })

    it('over HTTP/2, with the status, and without one where the stream is reset', async () => {
      const app = new Koa()
      const slow = Promise.withResolvers<void>()
      app.use(guarded().koa() as Koa.Middleware)
      app.use(async (ctx) => {
        if (ctx.path === '/slow') {
          slow.resolve()
          await new Promise(() => {})
        }
        ctx.status = 202
      })
      const server = createHttp2Server(app.callback())
      const session = connect(await listening(server as never))
      closing.push(
        () => session.destroy(),
        () => server.close(),
      )
      session.request({ ':path': '/orders?q=1', ...impersonated }).resume()
      const [use] = await told.take(1)
      expect(use).to.include({ status: 202, method: 'GET', path: '/orders' })
      const stream = session.request({ ':path': '/slow', ...impersonated })
      await slow.promise
      stream.close()
      const [reset] = await told.take(1)
      expect(reset?.path).to.equal('/slow')
      expect(reset).to.not.have.property('status')
    })
  })
})
