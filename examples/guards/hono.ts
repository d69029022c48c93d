import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import {
  type Caller,
  denyImpersonation,
  RequestRefused,
  type Requirement,
  requireScope,
  StatusUnavailable,
} from 'oidc-provider-impersonation-resource-server'
import { api } from './guard.ts'

function guard(...requirements: Requirement[]) {
  return createMiddleware<{ Variables: { caller: Caller } }>(async (c, next) => {
    try {
      c.set('caller', await api.authenticate(c.req.raw, ...requirements))
    } catch (error) {
      if (error instanceof StatusUnavailable) return c.body(null, error.status, error.headers)
      // Anything else is trouble with the provider, and Hono answers 500.
      if (!(error instanceof RequestRefused)) throw error
      c.header('WWW-Authenticate', error.challenge('orders'))
      c.header('Cache-Control', 'no-store')
      return c.json(error.toJSON(), error.status)
    }
    await next()
  })
}

const app = new Hono()
app.get('/orders', guard(requireScope('orders:read')), (c) => {
  const { userId, actor } = c.get('caller')
  return c.json({ ordersOf: userId, seenBy: actor?.sub })
})
app.put('/email', guard(denyImpersonation()), (c) => c.body(null, 204))

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 8080) })
