import { invalidToken } from '../refusal.ts'

/** What an access token is bound to. An absent member means: no binding. */
export interface Confirmation {
  /** The thumbprint of a key. RFC 9449 §6.1. */
  readonly jkt: string | undefined
  /** The thumbprint of a certificate. RFC 8705 §3.1. */
  readonly x5t: string | undefined
}

/**
 * Reads a `cnf` claim. RFC 7800 §3.1 lets an unknown member be ignored; here it is refused, because
 * a token that is bound in an unknown way would pass as one that is not bound.
 *
 * @throws RequestRefused for a binding that cannot be checked
 */
export function confirmationFrom(cnf: unknown): Confirmation {
  if (cnf === undefined) return { jkt: undefined, x5t: undefined }
  const members: Record<string, unknown> = typeof cnf === 'object' ? { ...cnf } : {}
  const { jkt, 'x5t#S256': x5t, ...unknown } = members
  if (isThumbprint(jkt) && isThumbprint(x5t) && Object.keys(unknown).length === 0) {
    if (jkt !== undefined || x5t !== undefined) return { jkt, x5t }
  }
  throw invalidToken('access token is bound in a way that is not known here')
}

function isThumbprint(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value !== '')
}
