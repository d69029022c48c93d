import { serve } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import Koa from 'koa'
import mount from 'koa-mount'
import { port, printChecklist, provider } from './provider.ts'

const identity = new Koa()
identity.keys = provider.keys
identity.use(provider.impersonation.routes())
identity.use(mount('/oidc', provider))
const answer = identity.callback()

const app = new Hono<{ Bindings: import('@hono/node-server').HttpBindings }>()
for (const path of ['/api/*', '/oidc/*']) {
  app.all(path, async (c) => {
    await answer(c.env.incoming, c.env.outgoing)
    return RESPONSE_ALREADY_SENT
  })
}

serve({ fetch: app.fetch, port, hostname: 'localhost' })
await printChecklist()
