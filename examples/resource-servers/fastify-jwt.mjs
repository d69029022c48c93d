import fastifyJwt from '@fastify/jwt'
import Fastify from 'fastify'
import buildGetJwks from 'get-jwks'

const { ISSUER = 'https://id.example.com/oidc' } = process.env
const { AUDIENCE = 'https://api.example.com', PORT = '8080' } = process.env

const keys = buildGetJwks({ providerDiscovery: true })
const app = Fastify()
await app.register(fastifyJwt, {
  decode: { complete: true },
  secret: async (_request, { header: { kid, alg } }) =>
    keys.getPublicKey({ domain: ISSUER, kid, alg }),
  verify: {
    algorithms: ['ES256'],
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
