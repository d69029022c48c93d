import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { BearerProblem, Problem } from '../http/problem.ts'

export interface AccessTokenOptions {
  readonly issuer: string
  /** Where the issuer publishes its keys. */
  readonly jwksUrl: URL
  readonly audience: string
}

/** What a valid access token says. */
export interface Caller {
  /** On whose behalf. */
  readonly subject: string
  /** Who acts, if that is somebody else. RFC 8693 §4.1. */
  readonly actor: string | undefined
  readonly scopes: ReadonlySet<string>
}

/**
 * Makes a verifier of JWT access tokens, RFC 9068 §4.
 *
 * The verifier throws BearerProblem for a token that is worth nothing here, and Problem 503 when
 * the issuer's keys cannot be had.
 */
export function accessTokenVerifier(
  options: AccessTokenOptions,
): (token: string) => Promise<Caller> {
  const keys = createRemoteJWKSet(options.jwksUrl, { timeoutDuration: 5000 })

  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ['ES256'],
        typ: 'at+jwt',
        issuer: options.issuer,
        audience: options.audience,
        requiredClaims: ['sub', 'exp', 'client_id'],
      })
      return callerOf(payload)
    } catch (cause) {
      if (cause instanceof BearerProblem) throw cause
      if (isTheTokensFault(cause)) throw invalid(cause)
      throw new Problem(503, 'temporarily_unavailable', "the issuer's keys cannot be had", {
        cause,
      })
    }
  }
}

function isTheTokensFault(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) &&
    // What jose throws when the key set did not come as it should.
    error.code !== 'ERR_JOSE_GENERIC'
  )
}

function callerOf({ sub, scope, act, cnf }: JWTPayload): Caller {
  // Bound to a key that nobody has shown to hold: RFC 9449 §7.2, RFC 8705 §3.
  if (cnf !== undefined) throw invalid(new Error('sender-constrained'))
  if (typeof sub !== 'string') throw invalid(new Error('without sub'))
  return {
    subject: sub,
    actor: act === undefined ? undefined : actorOf(act),
    scopes: new Set(typeof scope === 'string' ? scope.split(' ') : []),
  }
}

/** An `act` that is not understood must not pass as none. */
function actorOf(act: unknown): string {
  if (typeof act === 'object' && act !== null && 'sub' in act && typeof act.sub === 'string') {
    return act.sub
  }
  throw invalid(new Error('act is malformed'))
}

function invalid(cause: unknown): BearerProblem {
  return new BearerProblem('invalid_token', 'the access token is not valid here', { cause })
}
