import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { jwk } from 'hono/jwk'

const { ISSUER = 'https://id.example.com/oidc' } = process.env
const { AUDIENCE = 'https://api.example.com', PORT = '8080' } = process.env

// With `jwks_uri`, each request would wait for a fetch.
let keys = await fetchKeys()
setInterval(async () => {
  keys = await fetchKeys().catch((error) => console.error(error) ?? keys)
}, 60_000).unref()

async function fetchKeys() {
  const response = await fetch(`${ISSUER}/jwks`, { signal: AbortSignal.timeout(2000) })
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}`)
  return (await response.json()).keys
}

const app = new Hono()
app.use(
  jwk({
    keys: () => keys,
    alg: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    verification: { iss: ISSUER, aud: AUDIENCE, typ: 'at+jwt' },
  }),
  async (c, next) => {
    if (c.get('jwtPayload').cnf === undefined) return next()
    return c.json({ error: 'invalid_token' }, 401, { 'WWW-Authenticate': 'Bearer' })
  },
)

async function denyImpersonation(c, next) {
  const { act, jti } = c.get('jwtPayload')
  if (act === undefined && typeof jti === 'string' && !jti.startsWith('impersonation:')) {
    return next()
  }
  return c.json({ error: 'access_denied' }, 403)
}

app.get('/orders', (c) => {
  const { sub, act } = c.get('jwtPayload')
  return c.json({ ordersOf: sub, seenBy: act?.sub })
})
app.put('/email', denyImpersonation, (c) => c.body(null, 204))

serve({ fetch: app.fetch, port: Number(PORT) })
