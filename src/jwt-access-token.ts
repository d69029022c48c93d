import { hash } from 'node:crypto'
import { createLocalJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import type { AsymmetricSigningAlgorithm } from 'oidc-provider'

/**
 * Marks the `jti` of an impersonated JWT, so that it is known even where it has no `act`. Ids
 * drawn by the provider never contain a colon.
 */
export const IMPERSONATED_JTI_PREFIX = 'impersonation:'

/** In JWTs that could serve as actor token: the grant behind it, which can be revoked. */
export const GRANT_ID_CLAIM = 'op_grant_id'

/**
 * What may sign an access token here, in order of preference (RFC 9068 §2.1). Neither `none` nor a
 * shared secret (RFC 8725 §3.1, §3.2).
 */
export const SIGNING_ALGORITHMS: AsymmetricSigningAlgorithm[] = [
  'RS256',
  'ES256',
  'EdDSA',
  'Ed25519',
  'PS256',
  'ES384',
  'ES512',
  'RS384',
  'RS512',
  'PS384',
  'PS512',
  'ML-DSA-44',
  'ML-DSA-65',
  'ML-DSA-87',
]

/** An access token of this provider: authentic, in time, and not revoked as far as is known. */
export interface VerifiedAccessToken {
  /** The user; `undefined` for a token that stands for a client. */
  readonly accountId: string | undefined
  readonly clientId: string
  readonly audience: string | undefined
  readonly scopes: ReadonlySet<string>
  /** Whether it came out of an impersonation. */
  readonly impersonated: boolean
  /** The `act` claim, as it stands there. */
  readonly act: unknown
  /** When the user signed in, in seconds since the epoch, where that is known. */
  readonly authTime: number | undefined
  /** The grant behind it, where one is named. */
  readonly grantId: string | undefined
  /** RFC 9449 §6.1: the key it is bound to. */
  readonly jkt: string | undefined
  /** RFC 8705 §3.1: the certificate it is bound to. */
  readonly x5t: string | undefined
}

/** The token is not worth anything here. The message says why, and is not for the client. */
export class AccessTokenRejected extends Error {
  override name = 'AccessTokenRejected'
}

/** How many verified tokens are remembered. */
const REMEMBERED = 256

/**
 * Verifies JWT access tokens by the provider's own keys.
 *
 * A machine uses one token for many requests, and a signature that was good stays good: what was
 * verified is remembered by the token's SHA-256. Expiry is looked at every time.
 *
 * @returns a function that throws {@link AccessTokenRejected} for a token that is no good
 */
export function jwtAccessTokenVerifier(
  issuer: string,
  publicKeys: ReadonlyArray<Record<string, unknown>>,
): (value: string) => Promise<VerifiedAccessToken> {
  const keys = createLocalJWKSet({ keys: publicKeys.map(asJwk) })
  const remembered = new Map<string, { token: VerifiedAccessToken; expiresAt: number }>()

  return async (value) => {
    const id = hash('sha256', value, 'base64url')
    const known = remembered.get(id)
    // The provider's clockTolerance is for other people's clocks. This is our own.
    if (known && known.expiresAt > Math.floor(Date.now() / 1000)) return known.token
    try {
      // RFC 9068 §4: typ, iss, signature, exp; the audience is for the caller to judge.
      const { payload } = await jwtVerify(value, keys, {
        algorithms: SIGNING_ALGORITHMS,
        typ: 'at+jwt',
        issuer,
        requiredClaims: ['aud', 'exp', 'iat', 'jti', 'sub', 'client_id'],
      })
      const token = fromPayload(payload)
      for (const oldest of remembered.keys()) {
        if (remembered.size < REMEMBERED) break
        remembered.delete(oldest)
      }
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
  const { jkt, x5t } = confirmationOf(cnf)
  return {
    // RFC 9068 §2.2: where no resource owner takes part, sub is the client.
    accountId: sub === clientId ? undefined : sub,
    clientId,
    audience: single(payload.aud),
    scopes: new Set(typeof scope === 'string' ? scope.split(' ') : []),
    impersonated: act !== undefined || jti.startsWith(IMPERSONATED_JTI_PREFIX),
    act,
    authTime: seconds(payload.auth_time),
    // In a client's own token it would be somebody else's claim of that name.
    grantId: sub === clientId ? undefined : text(payload[GRANT_ID_CLAIM]),
    jkt,
    x5t,
  }
}

/** RFC 7800 §3.1. A confirmation that is not understood must not pass as none. */
function confirmationOf(cnf: unknown): { jkt: string | undefined; x5t: string | undefined } {
  if (cnf === undefined) return { jkt: undefined, x5t: undefined }
  const methods = new Map(typeof cnf === 'object' && cnf !== null ? Object.entries(cnf) : [])
  const jkt = text(methods.get('jkt'))
  const x5t = text(methods.get('x5t#S256'))
  if (jkt === undefined && x5t === undefined) {
    throw new AccessTokenRejected('bound by a confirmation method that is not known here')
  }
  return { jkt, x5t }
}

/** A point in time, or nothing that could be relied on. */
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
