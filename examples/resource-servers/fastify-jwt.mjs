import { createPublicKey } from 'node:crypto'
import fastifyJwt from '@fastify/jwt'
import Fastify from 'fastify'

const { ISSUER = 'https://id.example.com/oidc' } = process.env
const { AUDIENCE = 'https://api.example.com', PORT = '8080' } = process.env

// No request waits for a fetch.
let keys = await fetchKeys()
setInterval(async () => {
  keys = await fetchKeys().catch((error) => console.error(error) ?? keys)
}, 60_000).unref()

async function fetchKeys() {
  const response = await fetch(`${ISSUER}/jwks`, { signal: AbortSignal.timeout(2000) })
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}`)
  return (await response.json()).keys
}

const app = Fastify()
await app.register(fastifyJwt, {
  decode: { complete: true },
  secret: async (_request, { header: { kid } }) => {
    const key = createPublicKey({ key: keys.find((each) => each.kid === kid), format: 'jwk' })
    return key.export({ type: 'spki', format: 'pem' })
  },
  verify: {
    algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    allowedIss: ISSUER,
    allowedAud: AUDIENCE,
    checkTyp: 'at+jwt',
    requiredClaims: ['iss', 'aud', 'exp', 'sub', 'jti'],
  },
})

async function authenticate(request, reply) {
  try {
    await request.jwtVerify()
    if (request.user.cnf !== undefined) throw new Error('a bound token is no bearer token')
  } catch {
    reply.header('WWW-Authenticate', 'Bearer')
    return reply.code(401).send({ error: 'invalid_token' })
  }
}

async function denyImpersonation({ user: { act, jti } }, reply) {
  if (act === undefined && typeof jti === 'string' && !jti.startsWith('impersonation:')) return
  return reply.code(403).send({ error: 'access_denied' })
}

app.get('/orders', { onRequest: authenticate }, async ({ user }) => ({
  ordersOf: user.sub,
  seenBy: user.act?.sub,
}))
app.put('/email', { onRequest: [authenticate, denyImpersonation] }, async (_request, reply) =>
  reply.code(204).send(),
)

await app.listen({ port: Number(PORT) })
