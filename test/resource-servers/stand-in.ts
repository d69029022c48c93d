import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** How a provider answers a request for its keys or a list. */
export type Behaviour = 'answers' | 'fails' | 'hangs' | 'drips' | 'floods'

type Part = 'keys' | 'list'

/** The published parts of a provider, which are in trouble when a test says so. */
export interface StandIn extends AsyncDisposable {
  readonly issuer: string
  /** How it answers from now on. What hangs already is answered when it answers again. */
  behaves(part: Part, how: Behaviour): void
  /** How many requests for the part have come. */
  asked(part: Part): number
  /** How many requests the other side has given up. */
  givenUp(): number
  /** Waits for the next request that the other side gives up. */
  nextGivenUp(): Promise<void>
  /** Publishes another key, and signs by it from now on. */
  rotate(): Promise<void>
  /** An access token of alice for the audience, with the claims given. */
  token(claims?: JWTPayload, alg?: Algorithm): Promise<string>
  /** The same, of an impersonation whose status is in the list of that name. */
  impersonated(list: string, idx?: unknown, alg?: Algorithm): Promise<string>
}

type Algorithm = 'RS256' | 'ES256'

export const AUDIENCE = 'https://api.example.com'
/** The place of the list that has ended. */
export const ENDED = 9

/** Starts it. It signs by RS256 unless a test says otherwise. */
export async function standIn(): Promise<StandIn> {
  const keys = new Map<string, Awaited<ReturnType<typeof newKey>>>()
  const addKey = async (kid: string, alg: Algorithm) => keys.set(kid, await newKey(kid, alg))
  await Promise.all([addKey('rsa', 'RS256'), addKey('ec', 'ES256')])
  let signsBy = 'rsa'
  const asked = { keys: 0, list: 0 }
  const how: Record<Part, Behaviour> = { keys: 'answers', list: 'answers' }
  const waiting = new Set<() => Promise<unknown>>()
  let givenUp = 0
  const closed = new EventTarget()

  const sign = (kid: string, typ: string, claims: JWTPayload) => {
    const key = keys.get(kid)
    if (!key) throw new Error(`no key ${kid}`)
    const header = { alg: key.alg, typ, kid }
    return new SignJWT(claims).setProtectedHeader(header).sign(key.privateKey)
  }

  async function bodyFor(path: string): Promise<string> {
    if (path === '/oidc/jwks') {
      return JSON.stringify({ keys: Array.from(keys.values(), ({ published }) => published) })
    }
    const bytes = Buffer.alloc(1024)
    bytes[ENDED >> 3] = 1 << (ENDED & 7)
    const now = Math.floor(Date.now() / 1000)
    return await sign(signsBy, 'statuslist+jwt', {
      sub: `${issuer}${path.slice('/oidc'.length)}`,
      iat: now,
      exp: now + 30,
      ttl: 5,
      status_list: { bits: 1, lst: deflateSync(bytes).toString('base64url') },
    })
  }

  async function answer(path: string, behaviour: Behaviour, response: ServerResponse) {
    if (behaviour === 'fails') return response.writeHead(500).end()
    const isList = path !== '/oidc/jwks'
    response.setHeader('Content-Type', isList ? 'application/statuslist+jwt' : 'application/json')
    const body = await bodyFor(path)
    if (behaviour === 'answers') return response.end(body)
    const characters = behaviour === 'drips' ? dripping(body) : endless(' '.repeat(65_536))
    // It rejects where the other side goes away, which is what a test waits for.
    await pipeline(Readable.from(characters), response).catch(() => {})
  }

  const server = createServer(async ({ url = '' }, response) => {
    const part = url === '/oidc/jwks' ? 'keys' : 'list'
    asked[part] += 1
    response.once('close', () => {
      if (response.writableFinished) return
      givenUp += 1
      closed.dispatchEvent(new Event('closed'))
    })
    const answerNow = () => answer(url, how[part], response)
    if (how[part] === 'hangs') waiting.add(answerNow)
    else await answerNow()
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}/oidc`

  const self: StandIn = {
    issuer,
    behaves(part, behaviour) {
      how[part] = behaviour
      if (behaviour === 'hangs') return
      for (const answerNow of waiting) void answerNow()
      waiting.clear()
    },
    asked: (part) => asked[part],
    givenUp: () => givenUp,
    async nextGivenUp() {
      await once(closed, 'closed')
    },
    async rotate() {
      await addKey('next', 'RS256')
      signsBy = 'next'
    },
    token(claims = {}, alg) {
      const kid = alg === 'ES256' ? 'ec' : signsBy
      const now = Math.floor(Date.now() / 1000)
      const usual = { iss: issuer, aud: AUDIENCE, sub: 'alice', jti: 'own', client_id: 'shop' }
      return sign(kid, 'at+jwt', { ...usual, iat: now, exp: now + 600, ...claims })
    },
    impersonated: (list, idx = 0, alg) =>
      self.token(
        {
          jti: 'impersonation:1',
          act: { sub: 'olivia' },
          status: { status_list: { idx, uri: `${issuer}/status-lists/${list}` } },
        },
        alg,
      ),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return self
}

async function newKey(kid: string, alg: Algorithm) {
  const { publicKey, privateKey } = await generateKeyPair(alg)
  // As oidc-provider publishes a key that is configured without `alg`.
  return { alg, privateKey, published: { ...(await exportJWK(publicKey)), kid, use: 'sig' } }
}

async function* dripping(text: string) {
  for (const character of text) {
    yield character
    await wait(100)
  }
}

function* endless(text: string) {
  while (true) yield text
}
