import { quietly } from './quietly.ts'

/**
 * The claims of the access token that a page may show. They are not verified, because APIs do
 * that.
 */
export interface TokenContext {
  readonly [claim: string]: unknown
}

/**
 * Parses the payload of a JWT, not verified.
 *
 * @returns `{}` if the token is opaque
 */
export function parseClaims(token: string): TokenContext {
  const [, payload = '', ...more] = token.split('.')
  const claims: unknown =
    more.length === 1 &&
    quietly(() => JSON.parse(new TextDecoder().decode(decodeBase64Url(payload))))
  return Object.freeze(claims instanceof Object && !Array.isArray(claims) ? { ...claims } : {})
}

export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
