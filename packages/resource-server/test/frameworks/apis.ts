import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { type HttpBindings, serve } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import express from 'express'
import Fastify, { type FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import mount from 'koa-mount'
import { WebSocketServer } from 'ws'
import { closed, listening } from '../../../../test/support/token-issuer.ts'
import {
  type Caller,
  denyImpersonation,
  RequestRefused,
  type Requirement,
  type ResourceServer,
  StatusUnavailable,
} from '../../src/index.ts'

/** An API that listens. */
export interface Api {
  readonly origin: string
  close(): unknown
}

/** Returns the requirements of a route. */
function requiredAt(path: string): Requirement[] {
  return path.includes('/email') ? [denyImpersonation()] : []
}

/**
 * Handles a request: `/broken` throws, `/slow` never responds, `/stream` stays open until
 * `caller.signal` aborts.
 */
async function handle(path: string, caller: Caller | undefined): Promise<Readable> {
  if (path.includes('/broken')) throw new Error('the handler fails')
  if (path.includes('/slow')) await new Promise(() => {})
  if (!path.includes('/stream')) return Readable.from([String(caller?.userId)])
  const stream = new PassThrough()
  stream.write('open')
  caller?.signal.addEventListener('abort', () => stream.end())
  return stream
}

export async function serving(listener: RequestListener): Promise<Api> {
  const server = createServer(listener)
  return {
    origin: await listening(server),
    close: () => closed(server),
  }
}

function koa(api: ResourceServer): Koa {
  const app = new Koa()
  app.silent = true
  app.use((ctx, next) => api.koa(...requiredAt(ctx.path))(ctx as never, next))
  app.use(async (ctx) => {
    ctx.body = await handle(ctx.path, ctx.state.caller)
  })
  return app
}

function mounted(listener: express.RequestHandler): express.Express {
  // In a test Express prints no errors.
  return express().set('env', 'test').use('/v1', listener)
}

/** Refuses as the documents say, without a middleware of the guard. */
function refuse(response: ServerResponse, error: unknown): void {
  if (error instanceof StatusUnavailable) {
    response.writeHead(503, { ...error.headers }).end()
  } else if (error instanceof RequestRefused) {
    response.writeHead(error.status, { 'www-authenticate': error.challenge('orders') }).end()
  } else response.writeHead(500).end()
}

async function fastify(use: (app: FastifyInstance) => Promise<unknown>): Promise<Api> {
  const app = Fastify()
  await use(app)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const close = () => {
    app.server.closeAllConnections()
    return app.close()
  }
  return { origin, close }
}

/** Each API listens below `/v1`, and knows the response. */
export const APIS: Readonly<Record<string, (api: ResourceServer) => Promise<Api>>> = {
  'Koa, mounted': (api) => {
    const app = new Koa().use(mount('/v1', koa(api)))
    app.silent = true
    return serving(app.callback())
  },
  'Express, mounted': (api) =>
    serving(
      mounted(
        express
          .Router()
          .use((request, response, next) =>
            api.connect(...requiredAt(request.path))(request, response, next),
          )
          .use(async ({ path, caller }, response) => {
            ;(await handle(path, caller)).pipe(response)
          }),
      ),
    ),
  'Koa in Express': (api) => serving(mounted(koa(api).callback())),
  'Express, by authenticate()': (api) =>
    serving(
      mounted(async (request, response) => {
        try {
          const caller = await api.authenticate(request, ...requiredAt(request.path))
          ;(await handle(request.path, caller)).pipe(response)
        } catch (error) {
          refuse(response, error)
        }
      }),
    ),
  'Fastify, by middie': (api) =>
    fastify(async (app) => {
      await app.register(import('@fastify/middie'))
      app.use('/v1', (request, response, next) =>
        api.connect(...requiredAt(String(request.url)))(request, response, next),
      )
      app.all('/v1/*', async (request, reply) => {
        const { caller } = request.raw as { caller?: Caller }
        // Fastify's own request is another object, and no second use.
        if (!request.headers.dpop) await api.authenticate(request)
        return reply.send(await handle(request.url, caller))
      })
    }),
  'Fastify, by authenticate()': (api) =>
    fastify(async (app) => {
      app.all('/v1/*', async ({ raw, url }, reply) => {
        const request = Object.assign(raw, { res: reply.raw })
        const caller = await api.authenticate(request, ...requiredAt(url)).catch((error) => {
          if (!(error instanceof RequestRefused)) throw error
          reply.code(error.status).header('www-authenticate', error.challenge('orders'))
        })
        return caller && reply.send(await handle(url, caller))
      })
    }),
  'Hono of Node': async (api) => {
    const inner = new Hono<{ Bindings: HttpBindings }>()
    inner.all('/*', async ({ env: { incoming, outgoing }, req, body }) => {
      try {
        const request = Object.assign(incoming, { res: outgoing })
        const caller = await api.authenticate(request, ...requiredAt(req.path))
        return body(Readable.toWeb(await handle(req.path, caller)) as ReadableStream)
      } catch (error) {
        refuse(outgoing as ServerResponse, error)
        return RESPONSE_ALREADY_SENT
      }
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
    const close = () => {
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
    }
    return { origin: `http://127.0.0.1:${port}`, close }
  },
}

/** A WebSocket that closes when `caller.signal` aborts. */
export async function socketApi(api: ResourceServer): Promise<Api> {
  const sockets = new WebSocketServer({ noServer: true })
  const server = createServer().on('upgrade', async (request, socket, head) => {
    const { signal } = await api.authenticate(request)
    sockets.handleUpgrade(request, socket, head, (ws) => {
      ws.send('open')
      signal.addEventListener('abort', () => ws.close(4401))
    })
  })
  return { origin: await listening(server), close: () => server.close() }
}
