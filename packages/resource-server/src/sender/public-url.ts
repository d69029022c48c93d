import type { ApiRequest, Presented } from '../request.ts'

/** Returns the absolute URL at which the client sent a request. */
export type GetUrl = {
  // A method's parameter may be declared narrower, as the request of the framework in use.
  method(request: ApiRequest): string
}['method']

/** Dot segments and backslashes. A router may keep them, but `new URL()` resolves them. */
const DOT_SEGMENT = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i

/**
 * Returns the URL at which the client sent a request, as a proof must name it.
 *
 * @returns `undefined` if no proof can name the request target
 * @throws TypeError if `getUrl` returns no URL
 */
export function publicUrl(
  { request, target = '' }: Presented,
  { baseUrl, getUrl }: { baseUrl: string | undefined; getUrl: GetUrl | undefined },
): string | undefined {
  if (getUrl && request) {
    const url = normalizedUrl(getUrl(request))
    if (url === undefined) {
      throw new TypeError('resourceServer.dPoP.getUrl must answer an absolute http or https URL')
    }
    return url
  }
  const named = target.replace(/[?#].*$/s, '')
  if (DOT_SEGMENT.test(named)) return undefined
  // RFC 9112 §3.2.2: in the absolute form, the client chooses the authority.
  const path = named.replace(/^https?:\/\/[^/]*\/?/i, '/')
  if (!path.startsWith('/')) return undefined
  return normalizedUrl(`${baseUrl?.replace(/\/$/, '')}${path}`)
}

/**
 * Normalises a URL without query and fragment. RFC 9449 §4.3: "servers SHOULD employ syntax-based
 * normalization (Section 6.2.2 of [RFC3986]) and scheme-based normalization (Section 6.2.3 of
 * [RFC3986]) before comparing the htu claim".
 *
 * @returns `undefined` for anything but an absolute http or https URL
 */
export function normalizedUrl(value: unknown): string | undefined {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  url.search = ''
  url.hash = ''
  return url.href.replaceAll(/%[0-9a-f]{2}/gi, normalizedTriplet)
}

/** RFC 3986 §6.2.2.1 and §6.2.2.2. */
function normalizedTriplet(triplet: string): string {
  const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16))
  return /[A-Za-z0-9._~-]/.test(character) ? character : triplet.toUpperCase()
}
