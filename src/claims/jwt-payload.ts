import { randomBytes } from 'node:crypto'
import type { JWTStructured, UnknownObject } from 'oidc-provider'
import { IMPERSONATED_JTI_PREFIX } from '../shared/constants.ts'
import { claimsFrom } from './custom-claims.ts'

/**
 * A copy of what a customizer left in `jwt.payload`: plain JSON, without accessors.
 *
 * @throws TypeError where that is no JSON object
 */
export function copyPayload(jwt: JWTStructured): UnknownObject {
  return claimsFrom(jwt.payload)
}

/**
 * The `jti` of a token that is not impersonated. Where code of the deployment gave it the mark of an
 * impersonated one, it is the provider's own again, or a new one.
 *
 * @param given what a customizer made of it
 * @param own the provider's own
 */
export function unmarkedJti(given: unknown, own: unknown): unknown {
  if (!isMarked(given)) return given
  return isMarked(own) ? randomBytes(32).toString('base64url') : own
}

function isMarked(jti: unknown): boolean {
  return typeof jti === 'string' && jti.startsWith(IMPERSONATED_JTI_PREFIX)
}

/**
 * Makes `payload` what is signed, whatever is written to `jwt.payload` or its members from now on:
 * code of the deployment that still runs may hold a reference to `jwt`.
 *
 * The provider writes `iat` and other members of its own to the payload before it signs, so the
 * object cannot be frozen; it serialises as the copy instead.
 *
 * @throws TypeError where a customizer made that impossible (I9)
 */
export function finalise(jwt: JWTStructured, payload: UnknownObject): void {
  // The provider sets a missing `iat`.
  const issuedNow = { iat: Math.floor(Date.now() / 1000), ...payload }
  const serialised = JSON.stringify(issuedNow)
  const final = Object.defineProperty({ ...issuedNow }, 'toJSON', {
    value: () => JSON.parse(serialised),
  })
  Object.defineProperty(jwt, 'payload', { get: () => final, set: () => {}, configurable: false })
}
