import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type HttpBindings, serve } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import express from 'express'
import Fastify, { type onRequestAsyncHookHandler } from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import mount from 'koa-mount'
import { listening } from '../../../../test/support/token-issuer.ts'
import {
  denyImpersonation,
  RequestRefused,
  type Requirement,
  type ResourceServer,
  requireScope,
} from '../../src/index.ts'

/** An API that listens. */
export interface UsedApi {
  readonly origin: string
  close(): Promise<void>
}

/** Starts an API behind a guard, in one framework. */
export type StartApi = (api: ResourceServer) => Promise<UsedApi>

/** What the routes of the APIs below require. */
function required(path: string): Requirement[] {
  if (path.endsWith('/email')) return [denyImpersonation()]
  return [requireScope(path.endsWith('/admin') ? 'admin' : 'orders:read')]
}

/** What the routes answer: `/broken` throws, `/slow` never answers. */
async function handled(path: string): Promise<number> {
  if (path.endsWith('/broken')) throw new Error('the handler fails')
  if (path.endsWith('/slow')) await new Promise(() => {})
  return path.endsWith('/note') ? 204 : 200
}

async function started(listener: RequestListener): Promise<UsedApi> {
  const server = createServer(listener)
  return {
    origin: await listening(server),
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function koa(api: ResourceServer): Koa {
  const app = new Koa()
  app.silent = true
  app.use((ctx, next) => api.koa(...required(ctx.path))(ctx as never, next))
  app.use(async (ctx) => {
    ctx.status = await handled(ctx.path)
    if (ctx.status === 200) ctx.body = 'orders'
  })
  return app
}

function routes(api: ResourceServer): express.Router {
  const router = express.Router()
  router.use((request, response, next) =>
    api.connect(...required(request.path))(request, response, next),
  )
  router.use(async (request, response) => {
    response.status(await handled(request.path)).end('orders')
  })
  return router
}

const quiet = () => express().set('env', 'test')

/** Refuses as the documents say, where there is no middleware of the guard. */
function refuse(response: ServerResponse, error: unknown): void {
  if (!(error instanceof RequestRefused)) throw error
  response.writeHead(error.status).end(JSON.stringify(error))
}

async function fastify(use: (app: ReturnType<typeof Fastify>) => Promise<unknown>) {
  const app = Fastify()
  await use(app)
  app.all('/v1/*', async (request, reply) => {
    return reply.code(await handled(String(request.url.split('?')[0]))).send('orders')
  })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    origin,
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

/** Each is asked below `/v1`. All of them know the response. */
export const apis: Readonly<Record<string, StartApi>> = {
  'Koa, mounted': (api) => started(new Koa().use(mount('/v1', koa(api))).callback()),
  'Express 5, mounted': (api) => started(quiet().use('/v1', routes(api))),
  'Koa in Express': (api) => started(quiet().use('/v1', koa(api).callback())),
  'Express 5, by authenticate()': (api) =>
    started(
      quiet().use('/v1', async (request, response) => {
        try {
          await api.authenticate(request, ...required(request.path))
          response.status(await handled(request.path)).end('orders')
        } catch (error) {
          refuse(response, error)
        }
      }),
    ),
  'Fastify, by middie': (api) =>
    fastify(async (app) => {
      await app.register(import('@fastify/middie'))
      app.use('/v1', (request: express.Request, response: ServerResponse, next: () => void) =>
        api.connect(...required(String(request.url?.split('?')[0])))(request, response, next),
      )
    }),
  'Fastify, by authenticate()': (api) =>
    fastify(async (app) => {
      const guard: onRequestAsyncHookHandler = async ({ raw }, reply) => {
        const request = Object.assign(raw, { res: reply.raw })
        try {
          await api.authenticate(request, ...required(String(raw.url?.split('?')[0])))
        } catch (error) {
          if (!(error instanceof RequestRefused)) throw error
          return reply.code(error.status).send(error.toJSON())
        }
      }
      app.addHook('onRequest', guard)
    }),
  'Hono of Node': async (api) => {
    const inner = new Hono<{ Bindings: HttpBindings }>()
    inner.onError((_error, c) => c.text('broken', 500))
    inner.all('/*', async (c) => {
      const { incoming, outgoing } = c.env
      try {
        const request = Object.assign(incoming, { res: outgoing })
        await api.authenticate(request, ...required(c.req.path))
      } catch (error) {
        refuse(outgoing as ServerResponse, error)
        return RESPONSE_ALREADY_SENT
      }
      const status = await handled(c.req.path)
      return status === 204 ? c.body(null, 204) : c.text('orders')
    })
    // A mount hands on a Request whose path is shortened.
    const app = new Hono<{ Bindings: HttpBindings }>()
    app.mount('/v1', (request, env) => inner.fetch(request, env as HttpBindings), {
      optionHandler: (c) => c.env,
    })
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    return {
      origin: `http://127.0.0.1:${port}`,
      async close() {
        server.close()
        if ('closeAllConnections' in server) server.closeAllConnections()
      },
    }
  },
}
