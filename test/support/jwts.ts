import { decodeJwt, importJWK, type JWTPayload, SignJWT } from 'jose'
import { type Deployment, signingKey } from './deployment.ts'
import { type SignInOptions, signIn } from './sign-in.ts'

/** An access token of a person for an API: a JWT for the orders, if nothing else is said. */
export async function apiToken(
  deployment: Pick<Deployment, 'issuer' | 'orders'>,
  accountId = 'olivia',
  options: SignInOptions = {},
): Promise<string> {
  const target = { scope: 'openid orders:read', resource: deployment.orders }
  return (await signIn(deployment, accountId, { ...target, ...options })).access_token
}

/** The same token with something changed, signed again: by the provider's own key, or another. */
export async function resigned(
  token: string,
  change: (claims: JWTPayload) => JWTPayload,
  header: Record<string, unknown> = {},
  key?: Parameters<SignJWT['sign']>[0],
): Promise<string> {
  return new SignJWT(change(decodeJwt(token)))
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test', ...header })
    .sign(key ?? (await importJWK(signingKey)))
}
