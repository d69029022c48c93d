import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

export type TokenIssuer = Awaited<ReturnType<typeof startTokenIssuer>>

export const AUDIENCE = 'https://api.example.com'

/** An issuer of access tokens of every kind, valid and invalid, with real keys over real HTTP. */
export async function startTokenIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }
  /** The paths that were asked for. */
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(String(request.url))
    const { discovery, jwks } = answer
    return request.url === '/jwks' ? jwks(request, response) : discovery(request, response)
  })
  const issuer = await listening(server)
  const jwksUri = `${issuer}/jwks`
  /** The answers with the discovery document and the key set; tests may change them. */
  const answer: Record<'discovery' | 'jwks', RequestListener> = {
    discovery: (_request, response) => response.end(JSON.stringify({ issuer, jwks_uri: jwksUri })),
    jwks: (_request, response) => response.end(JSON.stringify({ keys: [jwk] })),
  }
  const close = () => void closed(server)
  return {
    issuer,
    jwksUri,
    jwk,
    asked,
    answer,
    /** A valid token of alice, changed by the given claims; `undefined` leaves a claim out. */
    token(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}) {
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
    close,
    [Symbol.dispose]: close,
  }
}

/** Listens on a free port, and returns the origin, which has http. */
export async function listening(
  server: Server | SecureServer,
  host = '127.0.0.1',
): Promise<string> {
  server.unref().listen(0, host)
  await once(server, 'listening')
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

/** Closes a server that listens, and its connections. */
export async function closed(server: Server | SecureServer): Promise<void> {
  if (!server.listening) return
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
