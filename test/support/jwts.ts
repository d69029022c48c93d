import { decodeJwt, importJWK, type JWTPayload, SignJWT } from 'jose'
import { type Deployment, signingKey } from './deployment.ts'
import { signIn } from './sign-in.ts'

/** A JWT access token of the operator. */
export async function operatorJwt(deployment: Deployment): Promise<string> {
  const options = { scope: 'openid orders:read', resource: deployment.orders }
  return (await signIn(deployment, 'olivia', options)).access_token
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
