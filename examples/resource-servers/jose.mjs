import { createServer } from 'node:http'
import { inflateSync } from 'node:zlib'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'

const { ISSUER = 'https://id.example.com/oidc' } = process.env
const { AUDIENCE = 'https://api.example.com', PORT = '8080' } = process.env

const keys = createRemoteJWKSet(new URL(`${ISSUER}/jwks`))
const algorithms = ['ES256']
const lists = new Map()

async function fetchList(uri) {
  const at = performance.now()
  const headers = { accept: 'application/statuslist+jwt', 'cache-control': 'max-age=1' }
  const signal = AbortSignal.timeout(2000)
  const response = await fetch(uri, { headers, signal, redirect: 'error' })
  const expected = { typ: 'statuslist+jwt', subject: uri, algorithms }
  const limits = { clockTolerance: 5, maxTokenAge: 30, requiredClaims: ['exp'] }
  const { payload } = await jwtVerify(await response.text(), keys, { ...expected, ...limits })
  const { bits, lst } = payload.status_list
  if (bits !== 1) throw new Error('not a list of single bits')
  return { at, bytes: inflateSync(Buffer.from(lst, 'base64url'), { maxOutputLength: 2 ** 20 }) }
}

async function hasEnded({ jti, status }) {
  if (!jti.startsWith('impersonation:') || status === undefined) return false
  const { uri, idx } = status.status_list
  const [, name = ''] = uri.split(`${ISSUER}/status-lists/`)
  if (uri !== `${ISSUER}/status-lists/${name}` || !/^[\w-]+$/.test(name)) return true
  const held = lists.get(uri) ?? { at: Number.NEGATIVE_INFINITY }
  lists.set(uri, held)
  if (performance.now() - held.at > 5000) {
    held.fetching ??= fetchList(uri)
      .then((fresh) => Object.assign(held, fresh))
      .catch((error) => console.error(error))
      .finally(() => delete held.fetching)
    await held.fetching
  }
  if (performance.now() - held.at > 30_000) throw new Error(`${uri} cannot be had`)
  return held.bytes[idx >> 3] === undefined || ((held.bytes[idx >> 3] >> (idx & 7)) & 1) === 1
}

async function authenticate({ headers }) {
  const [, token = ''] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
  const expected = { typ: 'at+jwt', issuer: ISSUER, audience: AUDIENCE, algorithms }
  const requiredClaims = ['exp', 'sub', 'jti']
  const { payload } = await jwtVerify(token, keys, { ...expected, requiredClaims })
  if (payload.cnf !== undefined) throw new errors.JWTInvalid('a bound token')
  if (await hasEnded(payload)) throw new errors.JWTInvalid('it has ended')
  return payload
}

createServer(async (request, response) => {
  try {
    const { sub, act, jti } = await authenticate(request)
    const isActedFor = act !== undefined || jti.startsWith('impersonation:')
    if (request.url !== '/email') {
      response.end(JSON.stringify({ ordersOf: sub, seenBy: act?.sub }))
    } else response.writeHead(isActedFor ? 403 : 204).end()
  } catch (error) {
    // Neither the keys' nor the list's absence makes a token invalid.
    const isInvalid =
      error instanceof errors.JOSEError &&
      !['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC'].includes(error.code)
    if (!isInvalid) response.writeHead(503, { 'retry-after': '1' }).end()
    else response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end()
  }
}).listen(Number(PORT))
