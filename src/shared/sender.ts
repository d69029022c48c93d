/** The bindings of an access token. An absent member means no binding. RFC 7800 §3.1. */
export interface Binding {
  /** The thumbprint of a key. RFC 9449 §6.1. */
  readonly jkt: string | undefined
  /** The thumbprint of a certificate. RFC 8705 §3.1. */
  readonly x5t: string | undefined
}

/** The proofs of a request. */
interface Proven {
  /** The thumbprint of the DPoP proof's key. */
  readonly jkt: string | undefined
  /**
   * Returns the thumbprint of the TLS client certificate. It is called if a token is bound to one.
   */
  readonly x5t: () => string | undefined
}

/** The scheme and the access token of a request, as a bearer or with proof of its key. */

/** Reads a header `Authorization`; `undefined` for another scheme, or none. RFC 9110 §11.1. */
export function parseAuthorization(authorization: string) {
  const scheme = /^(bearer|dpop)(?: |$)/i.exec(authorization)?.[1]?.toLowerCase()
  if (scheme !== 'bearer' && scheme !== 'dpop') return undefined
  // RFC 6750 §2.1: b64token; RFC 9449 §7.1: token68.
  return { scheme, value: /^[a-z]+ +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1] }
}

/**
 * Reads a `cnf` claim; `undefined` for a binding that cannot be checked. RFC 7800 §3.1 lets an
 * unknown member be ignored. Here it is refused, because a token that is bound in an unknown way
 * would pass as one that is not bound.
 */
export function parseConfirmation(cnf: unknown): Binding | undefined {
  if (cnf === undefined) return { jkt: undefined, x5t: undefined }
  const members: Record<string, unknown> = typeof cnf === 'object' ? { ...cnf } : {}
  const { jkt, 'x5t#S256': x5t, ...unknown } = members
  if (!isThumbprint(jkt) || !isThumbprint(x5t) || Object.keys(unknown).length > 0) return undefined
  return jkt === undefined && x5t === undefined ? undefined : { jkt, x5t }
}

/**
 * Returns the reason why a token is refused from its sender; `undefined` if it is accepted. A
 * sender-constrained token is never accepted as a plain bearer token (I10).
 */
export function unprovenBinding({ jkt, x5t }: Binding, proven: Proven): string | undefined {
  if (jkt !== undefined && jkt !== proven.jkt) {
    return 'is bound to a DPoP key that this request does not prove'
  }
  if (x5t !== undefined && x5t !== proven.x5t()) {
    return 'is bound to a certificate that this request does not show'
  }
  return undefined
}

function isThumbprint(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value !== '')
}
