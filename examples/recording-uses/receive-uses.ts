// A recorder of your own, over HTTP: it answers 204 after the batch is stored, and not before.
import { DatabaseSync } from 'node:sqlite'
import express from 'express'
import {
  type Caller,
  RequestRefused,
  requireScope,
  resourceServer,
} from 'oidc-provider-impersonation-resource-server'
import { useStore } from './use-store.ts'

const { ISSUER = 'https://id.example.com/oidc', RECORDER = 'https://uses.example.com' } =
  process.env
const senders = (process.env.SENDERS ?? 'orders-api').split(',')
const keep = useStore(new DatabaseSync(process.env.DATABASE ?? 'uses.db'))
const api = resourceServer({ issuer: ISSUER, audience: RECORDER })

/** A machine by its own token: there, `userId` is the client. */
function onlySenders({ userId, isImpersonated, claims }: Caller) {
  if (!isImpersonated && userId === claims.client_id && senders.includes(userId)) return
  throw new RequestRefused(403, { error: 'access_denied', description: 'not a sender of uses' })
}

const app = express()
app.post(
  '/uses',
  api.connect(requireScope('uses:write'), onlySenders),
  express.json({ limit: '8mb' }),
  ({ body, caller }, response) => {
    keep(body, caller?.userId ?? '')
    response.sendStatus(204)
  },
)
app.listen(Number(process.env.PORT ?? 8081))
