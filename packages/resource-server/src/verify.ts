import { type JWTPayload, type JWTVerifyGetKey, errors as jose, jwtVerify } from 'jose'
import type { ResolvedResourceServerOptions } from './options.ts'
import { invalidToken, RequestRefused } from './refusal.ts'
import { accessTokenIn, type Presented } from './request.ts'

/** An access token that is valid here. Its sender and its status are not checked yet. */
export interface Verified {
  readonly accessToken: string
  readonly claims: JWTPayload
}

/** Makes the function that verifies the access token of a request. It throws `RequestRefused`. */
export function tokenVerifier(
  options: ResolvedResourceServerOptions,
  keys: JWTVerifyGetKey,
): (presented: Presented) => Promise<Verified> {
  const { issuer, audience, algorithms, clockTolerance } = options
  return async (presented) => {
    const accessToken = parseAccessToken(presented, options)
    // RFC 9068 §4.
    const { payload } = await jwtVerify(accessToken, keys, {
      issuer,
      audience,
      typ: 'at+jwt',
      algorithms: [...algorithms],
      clockTolerance,
      requiredClaims: ['exp', 'iat', 'jti', 'sub', 'client_id'],
    }).catch((cause: unknown) => {
      if (!(cause instanceof jose.JOSEError)) throw cause
      throw invalidToken('access token is not valid here', cause)
    })
    return { accessToken, claims: payload }
  }
}

/** RFC 6750 §2.1, RFC 9449 §7.1. */
function parseAccessToken(
  { scheme, authorization }: Presented,
  { dPoP }: ResolvedResourceServerOptions,
): string {
  if (scheme === undefined || (scheme === 'DPoP' && !dPoP)) {
    throw new RequestRefused(401, { description: 'no access token provided' })
  }
  const accessToken = accessTokenIn(authorization)
  if (accessToken !== undefined) return accessToken
  throw invalidToken('the Authorization header is malformed')
}
