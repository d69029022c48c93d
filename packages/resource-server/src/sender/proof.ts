import { hash } from 'node:crypto'
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose'
import { invalidToken, RequestRefused } from '../refusal.ts'
import { normalizedUrl } from './public-url.ts'

/** The request that a proof must match. */
export interface ProofExpectation {
  readonly accessToken: string
  /** The thumbprint of the key that the access token is bound to. */
  readonly jkt: string
  readonly method: string | undefined
  readonly url: string | undefined
}

/** A proof that is valid for its request. Its first use is not checked yet. */
export interface VerifiedProof {
  /** The name of the proof, a hash of its key and its `jti`. */
  readonly id: string
  /** The time from which the proof is too old, in whole seconds since the epoch. */
  readonly expiresAt: number
}

/**
 * The limit of a proof, in characters. The largest public key and signature of all algorithms
 * (ML-DSA-87) fit in.
 */
const MAX_LENGTH = 16_384

/**
 * Checks a DPoP proof, except for its first use. RFC 9449 §4.3.
 *
 * @throws RequestRefused
 */
export async function verifyProof(
  proof: string | undefined,
  expected: ProofExpectation,
  { algorithms, maxAge }: { algorithms: readonly string[]; maxAge: number },
): Promise<VerifiedProof> {
  if (proof === undefined) throw invalidProof('is missing')
  if (proof.length > MAX_LENGTH) throw invalidProof('is too long')
  // Items 1 and 2: two headers of the name arrive with a comma between them.
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(proof)) throw invalidProof('must be one JWT')
  const { jkt, payload } = await verifySignature(proof, algorithms)
  const { jti, htm, htu, iat, ath } = payload
  if (typeof jti !== 'string' || jti === '') throw invalidProof('must have a jti')
  if (typeof htm !== 'string' || htm !== expected.method) {
    throw invalidProof('is for another method', { htm, expected: expected.method })
  }
  const url = normalizedUrl(htu)
  if (url === undefined || url !== expected.url) {
    throw invalidProof('is for another URL', { htu, expected: expected.url })
  }
  // The same window holds for past and future: §11.1, "reasonably near future".
  if (typeof iat !== 'number' || !(Math.abs(Date.now() / 1000 - iat) <= maxAge)) {
    throw invalidProof('is not of this time', { iat })
  }
  if (ath !== hash('sha256', expected.accessToken, 'base64url')) {
    throw invalidProof('is for another access token')
  }
  // §7.1, figure 16: if the token is not bound to this key, the token is at fault.
  if (jkt !== expected.jkt) {
    throw invalidToken('access token is not bound to the key of the DPoP proof')
  }
  const id = hash('sha256', JSON.stringify([jkt, jti]), 'base64url')
  return { id, expiresAt: Math.floor(iat + maxAge) + 1 }
}

/** Items 4 to 7. */
async function verifySignature(
  proof: string,
  algorithms: readonly string[],
): Promise<{ jkt: string; payload: JWTPayload }> {
  try {
    const options = { typ: 'dpop+jwt', algorithms: [...algorithms] }
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, options)
    return { jkt: await calculateJwkThumbprint({ ...protectedHeader.jwk }), payload }
  } catch (cause) {
    // The client sends the whole input, also the key, so every error is the client's fault.
    throw invalidProof('is not valid', cause)
  }
}

/**
 * RFC 9449 §7.1: "the DPoP proof itself was deemed invalid based on the criteria of Section 4.3".
 */
export function invalidProof(what: string, cause?: unknown): RequestRefused {
  return new RequestRefused(401, {
    error: 'invalid_dpop_proof',
    description: `DPoP proof ${what}`,
    cause,
  })
}
