/**
 * The payload of a JWT, not verified.
 *
 * @returns `{}` where the token is opaque
 */
export function parseClaims(token: string): Readonly<Record<string, unknown>> {
  const [, payload, signature, ...more] = token.split('.')
  if (payload === undefined || signature === undefined || more.length > 0) return Object.freeze({})
  try {
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return Object.freeze(isObject(claims) ? claims : {})
  } catch {
    return Object.freeze({})
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
