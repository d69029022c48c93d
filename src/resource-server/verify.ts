import { errors as jose, jwtVerify } from 'jose'
import { type Caller, callerFrom } from './caller.ts'
import { providerKeys } from './keys.ts'
import type { ResolvedResourceServerOptions } from './options.ts'
import { RequestRefused } from './refusal.ts'
import { accessTokenIn, type Presented } from './request.ts'
import { verifySender } from './sender.ts'
import { statusCheck } from './status.ts'

/**
 * Verifies the access token of a request, that its sender is the one that it is bound to, and that
 * an impersonation has not ended.
 *
 * @returns a function that throws {@link RequestRefused}; any other error is a failure of the API
 * itself
 */
export function callerVerifier(
  options: ResolvedResourceServerOptions,
): (presented: Presented) => Promise<Caller> {
  const { issuer, audience, jwksUri, algorithms, clockTolerance, fetch } = options
  const keys = providerKeys(issuer, jwksUri, fetch)
  const checkStatus = statusCheck(options, keys)

  return async (presented) => {
    const accessToken = accessTokenOf(presented, options)
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
      const description = 'access token is not valid here'
      throw new RequestRefused(401, { error: 'invalid_token', description, cause })
    })
    const caller = callerFrom(payload)
    await verifySender(presented, { accessToken, cnf: payload.cnf }, options)
    // Last: a token that is not valid, or stolen, must not lead to a fetch.
    if (caller.isImpersonated) await checkStatus(caller)
    return caller
  }
}

/** RFC 6750 §2.1, RFC 9449 §7.1. */
function accessTokenOf(
  { scheme, authorization }: Presented,
  { dPoP }: ResolvedResourceServerOptions,
): string {
  if (scheme === undefined || (scheme === 'DPoP' && !dPoP)) {
    throw new RequestRefused(401, { description: 'no access token provided' })
  }
  const accessToken = accessTokenIn(authorization)
  if (accessToken !== undefined) return accessToken
  throw new RequestRefused(401, {
    error: 'invalid_token',
    description: 'the Authorization header is malformed',
  })
}
