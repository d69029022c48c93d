import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { impersonations } from './impersonations.mjs'
import { orders } from './pages.mjs'

const { PORT = '8080' } = process.env

const app = new Hono()
app.all('/impersonation', (c) => impersonations.accept(c.req.raw))
app.post('/impersonation/end', (c) => impersonations.end(c.req.raw))
app.get('/orders', (c) => orders(c.req.raw))

export const server = serve({ fetch: app.fetch, port: Number(PORT) })
