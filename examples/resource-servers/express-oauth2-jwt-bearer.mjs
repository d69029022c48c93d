import express from 'express'
import { auth } from 'express-oauth2-jwt-bearer'

const { ISSUER = 'https://id.example.com/oidc' } = process.env
const { AUDIENCE = 'https://api.example.com', PORT = '8080' } = process.env

const authenticate = auth({
  issuerBaseURL: ISSUER,
  audience: AUDIENCE,
  strict: true,
  // Without this, users wait every ten minutes for keys, and longer for a provider that hangs.
  cacheMaxAge: 24 * 60 * 60 * 1000,
})

function denyImpersonation({ auth: { payload } }, response, next) {
  const { act, jti } = payload
  if (act === undefined && typeof jti === 'string' && !jti.startsWith('impersonation:')) next()
  else response.status(403).json({ error: 'access_denied' })
}

const app = express()
app.get('/orders', authenticate, ({ auth: { payload } }, response) => {
  response.json({ ordersOf: payload.sub, seenBy: payload.act?.sub })
})
app.put('/email', authenticate, denyImpersonation, (_request, response) => {
  response.sendStatus(204)
})

app.listen(Number(PORT))
