import { decodeJwt, importJWK, SignJWT } from 'jose'
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

/**
 * The same token with some claims changed, signed again: by the provider's own key, or another.
 * `undefined` leaves a claim out.
 */
export async function resigned(
  token: string,
  changes: object = {},
  header: Record<string, unknown> = {},
  key?: Parameters<SignJWT['sign']>[0],
): Promise<string> {
  return new SignJWT({ ...decodeJwt(token), ...changes })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test', ...header })
    .sign(key ?? (await importJWK(signingKey)))
}
