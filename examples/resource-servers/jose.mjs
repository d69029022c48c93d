import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { inflateSync } from 'node:zlib'
import { createLocalJWKSet, errors, jwtVerify } from 'jose'

const { ISSUER = 'https://id.example.com/oidc' } = process.env
const { AUDIENCE = 'https://api.example.com', PORT = '8080' } = process.env

const KEYS_MS = 60_000 // then the keys are fetched again, in the background
const NEW_KEYS_MS = 10_000 // a key that younger keys do not have is no key of the provider
const LIST_MS = 5000 // then a request waits for the next list
const LIST_MS_AT_MOST = 30_000 // what a list is believed for in an outage
const FETCH_MS = 2000
const RETRY_MS = 1000
const MAX_BYTES = 2 ** 20

// Algorithms that the provider may sign with. Each key allows its own only.
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA']

class Unavailable extends Error {}

/** Holds the latest answer of one address of the provider. */
function source(load) {
  let held = { at: Number.NEGATIVE_INFINITY }
  let failedAt = Number.NEGATIVE_INFINITY
  let flight

  async function fetchNow() {
    const at = performance.now()
    try {
      held = { at, value: await load() }
    } catch (error) {
      failedAt = performance.now()
      console.error(error)
    }
    flight = undefined
  }

  /** Begins a fetch, unless one is under way or has just failed. */
  function refresh() {
    if (performance.now() - failedAt > RETRY_MS) flight ??= fetchNow()
    return flight
  }

  return {
    held: () => held,
    refresh,
    /**
     * Waits for an answer that is no older. If the provider does not respond, returns the last
     * one.
     */
    async younger(than) {
      if (performance.now() - held.at > than) {
        await Promise.race([refresh(), wait(FETCH_MS, undefined, { ref: false })])
      }
      return held
    },
  }
}

async function get(url, accept) {
  const signal = AbortSignal.timeout(FETCH_MS)
  const response = await fetch(url, { headers: { accept }, signal, redirect: 'error' })
  if (!response.ok) throw new Error(`${url} answers ${response.status}`)
  const parts = []
  let size = 0
  for await (const part of response.body) {
    size += part.length
    if (size > MAX_BYTES) throw new Error(`${url} is too long`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

const keys = source(async () =>
  createLocalJWKSet(JSON.parse(await get(`${ISSUER}/jwks`, 'application/json'))),
)

async function keyOf(header, token) {
  const { at, value: known } = keys.held()
  try {
    if (performance.now() - at > KEYS_MS && known) keys.refresh()
    if (known) return await known(header, token)
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
  }
  const { at: fetchedAt, value } = await keys.younger(NEW_KEYS_MS)
  if (performance.now() - fetchedAt > NEW_KEYS_MS) throw new Unavailable(`${ISSUER}/jwks`)
  return await value(header, token)
}

async function fetchList(uri) {
  const token = await get(uri, 'application/statuslist+jwt')
  const expected = { typ: 'statuslist+jwt', subject: uri, algorithms }
  const limits = { clockTolerance: 5, maxTokenAge: 30, requiredClaims: ['exp'] }
  const { payload } = await jwtVerify(token, keyOf, { ...expected, ...limits })
  const { bits, lst } = payload.status_list
  if (bits !== 1) throw new Error('not a list of single bits')
  return inflateSync(Buffer.from(lst, 'base64url'), { maxOutputLength: MAX_BYTES })
}

const lists = new Map()

async function hasEnded({ jti, status }) {
  if (!jti.startsWith('impersonation:') || status === undefined) return false
  const { uri, idx } = status?.status_list ?? {}
  if (typeof uri !== 'string' || !Number.isSafeInteger(idx) || idx < 0) return true
  const [, name = ''] = uri.split(`${ISSUER}/status-lists/`)
  if (uri !== `${ISSUER}/status-lists/${name}` || !/^[\w-]+$/.test(name)) return true
  if (!lists.has(uri))
    lists.set(
      uri,
      source(() => fetchList(uri)),
    )
  const { at, value: bytes } = await lists.get(uri).younger(LIST_MS)
  if (performance.now() - at > LIST_MS_AT_MOST) throw new Unavailable(uri)
  const byte = bytes[Math.floor(idx / 8)]
  return byte === undefined || ((byte >> (idx % 8)) & 1) === 1
}

async function authenticate({ headers }) {
  const [, token = ''] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
  const expected = { typ: 'at+jwt', issuer: ISSUER, audience: AUDIENCE, algorithms }
  const requiredClaims = ['exp', 'sub', 'jti']
  const { payload } = await jwtVerify(token, keyOf, { ...expected, requiredClaims })
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
    if (error instanceof Unavailable) response.writeHead(503, { 'retry-after': '1' }).end()
    else if (error instanceof errors.JOSEError) {
      response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end()
    } else {
      console.error(error)
      response.writeHead(500).end()
    }
  }
}).listen(Number(PORT))
