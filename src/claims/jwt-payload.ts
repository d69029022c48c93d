import type { JWTStructured, UnknownObject } from 'oidc-provider'
import { claimsFrom } from './custom-claims.ts'

/**
 * A copy of what a customizer left in `jwt.payload`: plain JSON, without accessors.
 *
 * @throws TypeError where that is no JSON object
 */
export function payloadOf(jwt: JWTStructured): UnknownObject {
  return claimsFrom(jwt.payload)
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
