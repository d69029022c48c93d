import { JwtVerifier } from 'aws-jwt-verify'
import express from 'express'

const { ISSUER = 'https://id.example.com/oidc' } = process.env
const { AUDIENCE = 'https://api.example.com', PORT = '8080' } = process.env
const { JWKS_URI = `${ISSUER}/jwks` } = process.env

const verifier = JwtVerifier.create({
  issuer: ISSUER,
  audience: AUDIENCE,
  jwksUri: JWKS_URI,
  customJwtCheck({ header, payload }) {
    if (header.typ !== 'at+jwt') throw new Error('not an access token')
    if (payload.cnf !== undefined) throw new Error('a bound token is no bearer token')
  },
})

async function authenticate(request, response, next) {
  const [, token = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  try {
    request.claims = await verifier.verify(token)
  } catch {
    return response.status(401).set('WWW-Authenticate', 'Bearer').json({ error: 'invalid_token' })
  }
  next()
}

function denyImpersonation({ claims: { act, jti } }, response, next) {
  if (act === undefined && typeof jti === 'string' && !jti.startsWith('impersonation:')) next()
  else response.status(403).json({ error: 'access_denied' })
}

const app = express()
app.get('/orders', authenticate, ({ claims }, response) => {
  response.json({ ordersOf: claims.sub, seenBy: claims.act?.sub })
})
app.put('/email', authenticate, denyImpersonation, (_request, response) => {
  response.sendStatus(204)
})

app.listen(Number(PORT))
