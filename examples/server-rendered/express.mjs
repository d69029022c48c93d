import { Readable } from 'node:stream'
import express from 'express'
import { impersonations } from './impersonations.mjs'
import { orders } from './pages.mjs'

const { ORIGIN, PORT = '8080' } = process.env

/** A handler of Express that answers what a function of `Request` answers. */
const route = (answer) => async (request, response) => {
  const { method, headers, originalUrl } = request
  const sent = method === 'POST' && { body: Readable.toWeb(request), duplex: 'half' }
  const answered = await answer(new Request(ORIGIN + originalUrl, { method, headers, ...sent }))
  response.status(answered.status).setHeaders(answered.headers)
  response.end(await answered.text())
}

const app = express()
app.all('/impersonation', route(impersonations.accept))
app.post('/impersonation/end', route(impersonations.end))
app.get('/orders', route(orders))

export const server = app.listen(Number(PORT))
