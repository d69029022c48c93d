/** Set from the form to the provider's response. */
export const BEGUN_COOKIE = '__Host-impersonation-begun'
/** Set while an operator acts, and for an hour after it. */
export const ACTING_COOKIE = '__Host-impersonation'

/**
 * The only member of a request that is read, so that pages without a `Request` can be rendered,
 * too.
 */
export interface WithHeaders {
  readonly headers: Pick<Headers, 'get'>
}

const ID_PATTERN = /^[\w-]{43}$/

/** The id in the cookie, if it can be one of ours. */
export function readCookie({ headers }: WithHeaders, name: string): string | undefined {
  // Browsers, Node.js and HTTP/2 gateways join cookies by `;` alone, and a comma is part of a
  // value. Not `trim()`, which removes more spaces than browsers do: a sub-domain may set a cookie
  // whose name is one of them and `__Host-`.
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.replace(/^[ \t]+/, ''))
  const id = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return id !== undefined && ID_PATTERN.test(id) ? id : undefined
}

/**
 * `__Host-` keeps other hosts of the domain from setting it. `Lax` lets it come back from the
 * provider.
 */
const ATTRIBUTES = 'HttpOnly; Secure; SameSite=Lax'

export function cookie(name: string, id: string, expiresAtMs: number): string {
  const seconds = Math.max(0, Math.floor((expiresAtMs - Date.now()) / 1000))
  return `${name}=${id}; Path=/; Max-Age=${seconds}; ${ATTRIBUTES}`
}

export function goneCookie(name: string): string {
  return cookie(name, '', 0)
}
