import { hash } from 'node:crypto'
import { createLocalJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { BoundedMap } from '../shared/bounded-map.ts'
import { GRANT_ID_CLAIM, IMPERSONATED_JTI_PREFIX, SIGNING_ALGORITHMS } from '../shared/constants.ts'

/** An access token of this provider: authentic, in time, and not revoked as far as is known. */
export interface VerifiedAccessToken {
  /** The user; `undefined` for a token that stands for a client. */
  readonly accountId: string | undefined
  readonly clientId: string
  readonly audience: string | undefined
  readonly scopes: ReadonlySet<string>
  /** Whether it came out of an impersonation. */
  readonly impersonated: boolean
  /** Of which, where it tells: its id. */
  readonly impersonationId: string | undefined
  /** The `act` claim, as it stands there. */
  readonly act: unknown
  /** When the user signed in, in seconds since the epoch, where that is known. */
  readonly authTime: number | undefined
  /** When it expires, in seconds since the epoch. */
  readonly expiresAt: number
  /** The id of its grant, if the token names a grant. */
  readonly grantId: string | undefined
  /** RFC 9449 §6.1: the key it is bound to. */
  readonly jkt: string | undefined
  /** RFC 8705 §3.1: the certificate it is bound to. */
  readonly x5t: string | undefined
}

/** The token is not accepted. The message says why; the client does not get it. */
export class AccessTokenRejected extends Error {
  override name = 'AccessTokenRejected'
}

/** How many verified tokens are remembered. */
const JWT_CACHE_SIZE = 256

/**
 * Verifies JWT access tokens by the provider's own keys.
 *
 * A machine uses one token for many requests, and a valid signature stays valid: verified tokens
 * are cached by their SHA-256. Expiry is checked every time.
 *
 * @returns a function that throws {@link AccessTokenRejected} for a token that is not accepted
 */
export function jwtAccessTokenVerifier(
  issuer: string,
  publicKeys: ReadonlyArray<Record<string, unknown>>,
): (value: string) => Promise<VerifiedAccessToken> {
  const keys = createLocalJWKSet({ keys: publicKeys.map(asJwk) })
  const remembered = new BoundedMap<string, { token: VerifiedAccessToken; expiresAt: number }>(
    JWT_CACHE_SIZE,
  )

  return async (value) => {
    const id = hash('sha256', value, 'base64url')
    const known = remembered.get(id)
    // The provider's clockTolerance is for clocks of other servers. This time is our own.
    if (known && known.expiresAt > Math.floor(Date.now() / 1000)) return known.token
    try {
      // RFC 9068 §4: typ, iss, signature, exp; the audience is for the caller to judge. The other
      // required claims have to be texts: below.
      const { payload } = await jwtVerify(value, keys, {
        algorithms: SIGNING_ALGORITHMS,
        typ: 'at+jwt',
        issuer,
        requiredClaims: ['aud', 'exp', 'iat'],
      })
      const token = fromPayload(payload)
      remembered.set(id, { token, expiresAt: payload.exp ?? 0 })
      return token
    } catch (cause) {
      if (cause instanceof errors.JOSEError) {
        throw new AccessTokenRejected(`JWT access token: ${cause.message}`, { cause })
      }
      throw cause
    }
  }
}

function fromPayload(payload: JWTPayload): VerifiedAccessToken {
  const { sub, jti, client_id: clientId, scope, cnf, act } = payload
  if (typeof sub !== 'string' || typeof jti !== 'string' || typeof clientId !== 'string') {
    throw new AccessTokenRejected('a claim has the wrong type')
  }
  const { jkt, x5t } = parseConfirmation(cnf)
  return {
    // RFC 9068 §2.2: where no resource owner takes part, sub is the client.
    accountId: sub === clientId ? undefined : sub,
    clientId,
    audience: single(payload.aud),
    scopes: new Set(typeof scope === 'string' ? scope.split(' ') : []),
    impersonated: act !== undefined || jti.startsWith(IMPERSONATED_JTI_PREFIX),
    impersonationId: jti.startsWith(IMPERSONATED_JTI_PREFIX)
      ? jti.slice(IMPERSONATED_JTI_PREFIX.length)
      : undefined,
    act,
    authTime: seconds(payload.auth_time),
    expiresAt: payload.exp ?? 0,
    // In a client's own token a claim of that name comes from the deployment.
    grantId: sub === clientId ? undefined : text(payload[GRANT_ID_CLAIM]),
    jkt,
    x5t,
  }
}

/** RFC 7800 §3.1. Refuse a confirmation that is not understood: the token counts as bound. */
function parseConfirmation(cnf: unknown): { jkt: string | undefined; x5t: string | undefined } {
  if (cnf === undefined) return { jkt: undefined, x5t: undefined }
  const methods = new Map(typeof cnf === 'object' && cnf !== null ? Object.entries(cnf) : [])
  const jkt = text(methods.get('jkt'))
  const x5t = text(methods.get('x5t#S256'))
  if (jkt === undefined && x5t === undefined) {
    throw new AccessTokenRejected('bound by a confirmation method that is not known here')
  }
  return { jkt, x5t }
}

/** A point in time; `undefined` for any other value. */
export function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function text(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw new AccessTokenRejected('a claim has the wrong type')
}

/** The audience, if there is exactly one. */
export function single(audience: string | readonly string[] | undefined): string | undefined {
  if (audience === undefined || typeof audience === 'string') return audience
  return audience.length === 1 ? audience[0] : undefined
}

function asJwk(key: Record<string, unknown>): Record<string, unknown> & { kty: string } {
  return { ...key, kty: String(key.kty) }
}
