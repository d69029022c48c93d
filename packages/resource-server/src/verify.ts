import { errors as jose, jwtVerify } from 'jose'
import { type Caller, callerFrom } from './caller.ts'
import { providerKeys } from './keys.ts'
import type { ResolvedResourceServerOptions } from './options.ts'
import { invalidToken, RequestRefused } from './refusal.ts'
import { accessTokenIn, type Presented } from './request.ts'
import { verifySender } from './sender/sender.ts'
import { statusCheck } from './status/status.ts'

/** An access token that is valid here. Its sender and its status are not checked yet. */
export interface Verified {
  readonly accessToken: string
  readonly caller: Caller
}

/**
 * The checks of an access token, in their order. They throw {@link RequestRefused}; any other error
 * is a failure of the API itself.
 */
export interface CallerVerifier {
  /** Verifies the access token of a request. */
  verifyToken(presented: Presented): Promise<Verified>
  /** Checks that the sender is the one that the token is bound to. */
  checkSender(presented: Presented, verified: Verified): Promise<void>
  /** Checks that an impersonation has not ended. */
  checkStatus(caller: Caller): Promise<void>
}

export function callerVerifier(options: ResolvedResourceServerOptions): CallerVerifier {
  const { issuer, audience, jwksUri, algorithms, clockTolerance, fetch } = options
  const keys = providerKeys(issuer, jwksUri, fetch)

  async function verifyToken(presented: Presented): Promise<Verified> {
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
    return { accessToken, caller: callerFrom(payload) }
  }

  return {
    verifyToken,
    checkSender: (presented, { accessToken, caller: { claims } }) =>
      verifySender(presented, { accessToken, cnf: claims.cnf }, options),
    checkStatus: statusCheck(options, keys),
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
