import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

/** An issuer of access tokens of every kind, valid and invalid, with real keys over real HTTP. */
export interface TokenIssuer extends Disposable {
  readonly issuer: string
  readonly jwksUri: string
  readonly jwk: JWK
  /** How the discovery document and the key set are answered; tests may change it. */
  answer: { discovery: RequestListener; jwks: RequestListener }
  /** The paths that were asked for. */
  readonly asked: string[]
  /** A valid token of alice, changed by the given claims; `undefined` leaves a claim out. */
  token(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>
  close(): void
}

export const AUDIENCE = 'https://api.example.com'

export async function startTokenIssuer(): Promise<TokenIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(String(request.url))
    const { discovery, jwks } = tokens.answer
    return request.url === '/jwks' ? jwks(request, response) : discovery(request, response)
  })
  const issuer = await listening(server)
  const jwksUri = `${issuer}/jwks`
  const tokens: TokenIssuer = {
    issuer,
    jwksUri,
    jwk,
    asked,
    answer: {
      discovery: (_request, response) =>
        response.end(JSON.stringify({ issuer, jwks_uri: jwksUri })),
      jwks: (_request, response) => response.end(JSON.stringify({ keys: [jwk] })),
    },
    token(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000)
      const payload: JWTPayload = {
        iss: issuer,
        aud: AUDIENCE,
        sub: 'alice',
        client_id: 'console',
        jti: 'token',
        scope: 'orders:read orders:write',
        iat: now,
        exp: now + 60,
        ...claims,
      }
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k', ...header })
        .sign(privateKey)
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
    [Symbol.dispose]: () => tokens.close(),
  }
  return tokens
}

/** Listens on a free port, and answers the origin. */
export async function listening(server: Server): Promise<string> {
  server.unref().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
