import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { PassThrough } from 'node:stream'
import { serve } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { WebSocketServer } from 'ws'
import { listening } from '../../../../test/support/token-issuer.ts'
import type { ResourceServer } from '../../src/index.ts'

/** An API whose one route stays open until `caller.signal` aborts. */
export interface StreamingApi {
  readonly origin: string
  close(): void
}

function started(listener: RequestListener): Promise<StreamingApi> {
  return serving(createServer(listener))
}

async function serving(server: ReturnType<typeof createServer>): Promise<StreamingApi> {
  return {
    origin: await listening(server),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Each in the way that docs/your-apis.md has for it. */
export const STREAMS: Readonly<Record<string, (api: ResourceServer) => Promise<StreamingApi>>> = {
  Express: (api) =>
    started(
      express().get('/', api.connect(), ({ caller }, response) => {
        response.write('open')
        caller?.signal.addEventListener('abort', () => response.destroy())
      }),
    ),
  Koa: (api) => {
    const app = new Koa()
    app.silent = true
    app.use(api.koa() as never).use((ctx) => {
      const stream = new PassThrough()
      stream.write('open')
      ctx.body = stream
      ctx.state.caller.signal.addEventListener('abort', () => ctx.res.destroy())
    })
    return started(app.callback())
  },
  Fastify: async (api) => {
    const app = Fastify()
    app.get('/', async ({ raw }, reply) => {
      const { signal } = await api.authenticate(Object.assign(raw, { res: reply.raw }))
      reply.hijack()
      reply.raw.write('open')
      signal.addEventListener('abort', () => reply.raw.destroy())
    })
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const close = () => {
      app.server.closeAllConnections()
      void app.close()
    }
    return { origin, close }
  },
  Hono: async (api) => {
    const app = new Hono()
    app.get('/', async (c) => {
      const { signal } = await api.authenticate(c.req.raw)
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from('open'))
          signal.addEventListener('abort', () => controller.close())
        },
      })
      return c.body(body)
    })
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
    await once(server, 'listening')
    const address = server.address()
    return {
      origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
      close() {
        server.close()
        if ('closeAllConnections' in server) server.closeAllConnections()
      },
    }
  },
  'plain Node': (api) =>
    started(async (request, response) => {
      const { signal } = await api.authenticate(Object.assign(request, { res: response }))
      response.write('open')
      signal.addEventListener('abort', () => response.destroy())
    }),
  ws: (api) => {
    const sockets = new WebSocketServer({ noServer: true })
    const server = createServer()
    server.on('upgrade', async (request: IncomingMessage, socket, head) => {
      const { signal } = await api.authenticate(request)
      sockets.handleUpgrade(request, socket, head, (ws) => {
        ws.send('open')
        signal.addEventListener('abort', () => ws.close(4401))
      })
    })
    return serving(server)
  },
}
