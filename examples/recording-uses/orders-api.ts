import express from 'express'
import { denyImpersonation, resourceServer } from 'oidc-provider-impersonation-resource-server'
import { flush, record } from './send-uses.ts'

const { ISSUER = 'https://id.example.com/oidc', AUDIENCE = 'https://api.example.com' } = process.env

const api = resourceServer({ issuer: ISSUER, audience: AUDIENCE, onImpersonatedRequest: record })
const app = express()
app.get('/orders', api.connect(), ({ caller }, response) => {
  response.json({ ordersOf: caller?.userId })
})
app.put('/email', api.connect(denyImpersonation()), (_request, response) => {
  response.sendStatus(204)
})

const server = app.listen(Number(process.env.PORT ?? 8080))
process.once('SIGTERM', () => server.close(flush))
