import type { RequestListener } from 'node:http'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import Koa from 'koa'
import { answerProblems } from '../../example-provider/json.ts'
import { ordersApi } from '../../example-provider/orders.ts'
import { createMemoryAdapter } from '../../src/adapters/memory/index.ts'
import { type Example, listen } from './support.ts'

export const BASE_URL = 'https://id.example.com'
export const ISSUER = `${BASE_URL}/oidc`
const AUDIENCE = `${BASE_URL}/orders`
/** The answer to a request without a token. */
export const CHALLENGE = `Bearer realm="${ISSUER}", DPoP realm="${ISSUER}", algs="ES256 Ed25519 EdDSA"`
const GOOD = { scope: 'orders:read', client_id: 'support-tool', jti: 'token' }
/** The claims of tokens that were exchanged without an actor token. */
export const NAMELESS = { jti: 'impersonation:token' }

/** How a token differs from a valid token of alice. */
export interface Variation {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly typ?: string
  readonly alg?: string
  readonly iss?: string
  readonly aud?: string
  readonly exp?: string
  readonly sub?: string
  readonly key?: Parameters<SignJWT['sign']>[0]
}

/** A fake issuer for the orders API: real keys, and tokens of every kind. */
export interface Issuer {
  readonly publicJwk: JWK
  /** How the key set is answered; tests may change it. */
  answerKeys: RequestListener
  token(variation?: Variation): Promise<string>
  /** An orders API of its own; by default, one that also takes tokens that nothing can end. */
  newApi(requireStatus?: boolean): Promise<Example>
  close(): Promise<void>
}

export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const set = JSON.stringify({ keys: [{ ...publicJwk, kid: 'k' }] })
  const server = await listen((request, response) => issuer.answerKeys(request, response))
  const issuer: Issuer = {
    publicJwk,
    answerKeys: (_request, response) => response.end(set),
    token({
      claims = {},
      typ = 'at+jwt',
      alg = 'ES256',
      iss = ISSUER,
      aud = AUDIENCE,
      exp = '1m',
      sub = 'alice',
      key = privateKey,
    } = {}) {
      const jwt = new SignJWT({ ...GOOD, ...claims })
        .setProtectedHeader({ alg, typ, kid: 'k' })
        .setIssuer(iss)
        .setAudience(aud)
        .setIssuedAt()
        .setExpirationTime(exp)
      if (sub !== '') jwt.setSubject(sub)
      return jwt.sign(key)
    },
    newApi(requireStatus = false) {
      const app = new Koa()
      app.use(answerProblems)
      app.use(
        ordersApi({
          url: BASE_URL,
          providerUrl: server.url,
          adapter: createMemoryAdapter(),
          requireStatus,
        }),
      )
      return listen(app.callback())
    },
    close: () => server.close(),
  }
  return issuer
}
