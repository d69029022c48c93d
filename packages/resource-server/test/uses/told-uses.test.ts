import { createServer, type RequestListener } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import { expect } from 'chai'
import Koa from 'koa'
import { renewed } from '../../../../test/support/shared.ts'
import { closed, listening } from '../../../../test/support/token-issuer.ts'
import {
  type ApiRequest,
  type Caller,
  denyImpersonation,
  type ImpersonationUse,
  RequestRefused,
  type ResourceServerOptions,
  requireScope,
} from '../../src/index.ts'
import { send } from '../send.ts'
import { startStatusProvider } from '../status/status-provider.ts'
import { Connection, type DescribedUses, leave, toldUses } from './told-uses.ts'

const UNBOUND = 'a sender-constrained access token is no bearer token'
const ACTING = 'not while an operator acts for the user'
const LACKING = 'access token lacks the scope admin'

describe('onImpersonatedRequest', () => {
  let told: DescribedUses
  let closing: (() => unknown)[]
  let impersonated: { authorization: string }

  const provider = renewed(startStatusProvider)
  beforeEach(async () => {
    told = toldUses()
    closing = []
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

  /** Returns the uses that are told once the response to a request has so been sent. */
  async function usesOf(
    { status = 200, url = '/orders', headers = impersonated } = {},
    judge: (request: ApiRequest) => Promise<unknown> = (it) => guarded().authenticate(it),
  ): Promise<ImpersonationUse[]> {
    const res = new Connection()
    await judge({ method: 'GET', url, headers, res }).catch((error: unknown) => {
      if (!(error instanceof Error)) throw error
    })
    expect(told.uses, 'before the answer').to.deep.equal([])
    res.answer(status)
    return await told.take(0)
  }

  it('tells what refused, and nothing of the message of a failure', async () => {
    provider.ended.add(7)
    const ended = { status: provider.status(7) }
    const missing = { status: provider.status(1, `${provider.issuer}/status-lists/none`) }
    const bound = { cnf: { jkt: 'A'.repeat(43) } }
    const failing = () => {
      throw new Error('postgres://user:password@host')
    }
    const weekdays = () => {
      throw new RequestRefused(403, { error: 'access_denied', description: 'not on Sundays' })
    }
    const carefully = async (caller: Caller) => denyImpersonation()(caller)
    for (const [claims, requirements, ...expected] of [
      [ended, [], 'status', 'invalid_token', 'impersonation has ended'],
      [missing, [], 'status', undefined, 'the check failed'],
      [bound, [], 'sender', 'invalid_token', UNBOUND],
      [{}, [weekdays], 'requirement', 'access_denied', 'not on Sundays'],
      [{}, [carefully], 'impersonation', 'access_denied', ACTING],
      [{}, [requireScope('admin')], 'scope', 'insufficient_scope', LACKING],
      [{}, [failing], 'requirement', undefined, 'the check failed'],
    ] as const) {
      const headers = await bearer(claims)
      const judge = (request: ApiRequest) => guarded().authenticate(request, ...requirements)
      const [use, ...more] = await usesOf({ status: 403, headers }, judge)
      const { by, error, description } = use?.refused ?? {}
      expect([by, error, description]).to.deep.equal(expected)
      expect([use?.status, ...more]).to.deep.equal([403])
    }
    const strict = guarded({ requireStatus: true })
    const [use] = await usesOf({}, (request) => strict.authenticate(request))
    expect(use?.refused?.by).to.equal('status')
  })

  it('tells no word of a token that is ordinary, forged, expired, or of another API', async () => {
    const { authorization: good } = impersonated
    for (const headers of [
      { authorization: `${good.slice(0, -86)}${'A'.repeat(86)}` },
      await bearer({ exp: 1 }),
      await bearer({ aud: 'https://other.example.com' }),
      { authorization: `Bearer ${await provider.tokens.token()}` },
    ]) {
      expect(await usesOf({ headers })).to.deep.equal([])
    }
  })

  it('tells who acts, in objects that are frozen, plain, and the same after JSON', async () => {
    const judge = (request: ApiRequest) => guarded().authenticate(request, denyImpersonation())
    const act = { sub: 'olivia' }
    const [use] = await usesOf({ headers: await bearer({ jti: 'own', act }) }, judge)
    expect(use).to.not.have.property('id')
    for (const part of [use, use?.actor, use?.refused]) {
      expect(part).to.be.an('object')
      expect(part).to.satisfy(Object.isFrozen)
      expect(Object.getPrototypeOf(part)).to.equal(Object.prototype)
    }
    expect(JSON.parse(JSON.stringify(use))).to.deep.equal(use)
    expect(use?.actor).to.deep.equal(act)
    const [nameless] = await usesOf()
    expect(nameless).to.include({ id: 'x' }).and.not.to.have.property('actor')
    const [empty] = await usesOf({ headers: await bearer({ jti: 'impersonation:' }) })
    expect(empty).to.not.have.property('id')
  })

  it('tells the path whole, without its query and without what stands before it', async () => {
    const long = `/orders/${'%C3%A9/'.repeat(1500)}`
    for (const [url, path] of [
      [`${long}?token=secret&a=/b#c`, long],
      ['http://user:secret@host:80/orders?secret', '/orders'],
      ['http://host?secret', '/'],
      ['//host/orders', '//host/orders'],
    ] as const) {
      const [use] = await usesOf({ url })
      expect(use?.path, url).to.equal(path)
      expect(JSON.stringify(use)).to.not.include('secret')
    }
    const url = 'https://api.example.com/v1/orders?q=secret'
    await guarded().authenticate(new Request(url, { method: 'DELETE', headers: impersonated }))
    const [fetched] = await told.take(1)
    expect(fetched).to.include({ method: 'DELETE', path: '/v1/orders' })
    expect(fetched).to.not.have.property('status')
    for (const _ of [1, 2]) await guarded().authenticate(impersonated.authorization)
    const [use, ...again] = await told.take(2)
    expect(again).to.have.lengthOf(1)
    expect(use).to.not.have.any.keys('method', 'path', 'status', 'refused')
    expect(use).to.include({ userId: 'alice', client: 'console' })
  })

  describe('is called once for a request', () => {
    it('that two guards let pass, of one resourceServer() and of two', async () => {
      const [first, second] = [guarded(), guarded()]
      const uses = await usesOf({}, async (request) => {
        await first.authenticate(request)
        await first.authenticate({ ...request }, requireScope('orders:read'))
        await second.authenticate(request)
      })
      expect(uses).to.have.lengthOf(1)
    })

    it('that several refuse: the first refusal, although a later guard lets it pass', async () => {
      const api = guarded()
      const uses = await usesOf({}, async (request) => {
        await api.authenticate(request)
        await api.authenticate(request, denyImpersonation()).catch(() => {})
        await api.authenticate(request, requireScope('admin')).catch(() => {})
        await api.authenticate(request)
      })
      expect(uses.map(({ refused }) => refused?.by)).to.deep.equal(['impersonation'])
    })

    it('but once for each function, and for each token', async () => {
      const other: ImpersonationUse[] = []
      const second = guarded({ onImpersonatedRequest: (use) => other.push(use) })
      const exchanged = await bearer({ jti: 'impersonation:y' })
      const uses = await usesOf({}, async (request) => {
        await guarded().authenticate(request)
        await second.authenticate(request)
        await guarded().authenticate({ ...request, headers: exchanged })
      })
      expect(uses.map(({ id }) => id)).to.deep.equal(['x', 'y'])
      expect(other.map(({ id }) => id)).to.deep.equal(['x'])
    })

    it('and once more for a refusal that comes after the call: none is lost', async () => {
      const api = guarded()
      const request = { method: 'GET', url: '/orders', headers: impersonated }
      await api.authenticate(request)
      await told.take(0)
      for (const _ of [1, 2]) await api.authenticate(request, denyImpersonation()).catch(() => {})
      const uses = await told.take(1)
      expect(uses.map(({ refused }) => refused?.by)).to.deep.equal(['impersonation'])
    })
  })

  describe('comes after the answer', () => {
    async function serving(listener: RequestListener): Promise<string> {
      const server = createServer(listener)
      closing.push(() => closed(server))
      return await listening(server)
    }

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

    it('where the client goes: the status that it got, and none while the token was looked up', async () => {
      let isStarted = false
      let gone = Promise.withResolvers<void>()
      const api = guarded()
      const origin = await serving((request, response) => {
        response.once('close', () => gone.resolve())
        api.connect()(request, response, () => {
          response.write('a part')
          isStarted = true
        })
      })
      await leave(`${origin}/orders`, impersonated, () => isStarted)
      const [partly] = await told.take(1)
      expect(partly?.status).to.equal(200)

      const { answer } = provider
      isStarted = false
      gone = Promise.withResolvers()
      provider.answer = async (request, response) => {
        isStarted = true
        await gone.promise
        answer(request, response)
      }
      const headers = await bearer({ status: provider.status(1) })
      await leave(`${origin}/orders`, headers, () => isStarted)
      const [use, ...more] = await told.take(1)
      expect(more).to.deep.equal([])
      expect(use?.path).to.equal('/orders')
      expect(use).to.not.have.property('status')
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
