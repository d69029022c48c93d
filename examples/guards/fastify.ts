import Fastify, { type onRequestAsyncHookHandler } from 'fastify'
import {
  type Caller,
  denyImpersonation,
  RequestRefused,
  type Requirement,
  requireScope,
} from 'oidc-provider-impersonation-resource-server'
import { api } from './guard.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
  }
}

function guard(...requirements: Requirement[]): onRequestAsyncHookHandler {
  return async (request, reply) => {
    try {
      request.caller = await api.authenticate(request, ...requirements)
    } catch (error) {
      // Anything else is trouble with the provider: Fastify answers 503 or 500.
      if (!(error instanceof RequestRefused)) throw error
      reply.headers({ 'WWW-Authenticate': error.challenge('orders'), 'Cache-Control': 'no-store' })
      return reply.code(error.status).send(error.toJSON())
    }
  }
}

const app = Fastify()
app.decorateRequest('caller', undefined)
app.get('/orders', { onRequest: guard(requireScope('orders:read')) }, async ({ caller }) => ({
  ordersOf: caller?.userId,
  seenBy: caller?.actor?.sub,
}))
app.put('/email', { onRequest: guard(denyImpersonation()) }, async (_request, reply) => {
  return reply.code(204).send()
})

await app.listen({ port: Number(process.env.PORT ?? 8080) })
