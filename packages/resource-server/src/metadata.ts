import { aUrl, group, isHttpUrl, isPlainObject, rule } from './option-rules.ts'
import type { ResolvedDPoPOptions } from './sender/dpop-options.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** The metadata that the guard itself serves, in addition to its own options. */
export interface ServedMetadata {
  /**
   * The path of the document, as a client requests it. The guard serves it without a token.
   * @defaultValue that of RFC 9728 §3.1: `/.well-known/oauth-protected-resource`, then the path of
   * `audience`
   */
  readonly path?: string | undefined
  /** `scopes_supported`: the scopes that clients may request. */
  readonly scopes?: readonly string[] | undefined
  /** `resource_name`: the API's name for people. */
  readonly name?: string | undefined
}

/** The metadata of this API, for challenges and for clients that request it. */
export interface ResourceMetadata {
  /** The absolute URL of the document, in every challenge: RFC 9728 §5.1. */
  readonly url: string
  /** The path at which the guard serves it; absent if another server does. */
  readonly path?: string
  /** The document: RFC 9728 §2. */
  readonly document?: Readonly<Record<string, unknown>>
}

const isPath = (value: unknown): value is string =>
  typeof value === 'string' && /^\/[^?#\s"\\]*$/.test(value)

const isText = (value: unknown): value is string => typeof value === 'string'

const isScopes = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && Array.from(value).every((each) => isText(each) && each !== '')

const url = aUrl()
const served = group({
  path: rule('text', isPath, 'a path that begins with a slash, without a query', undefined),
  scopes: rule('list', isScopes, 'an array of scopes', undefined),
  name: rule('text', isText, 'a string', undefined),
})

/** The rule of the option: the URL of the document, or the document's own options. */
export const metadataRule = {
  type: 'valid',
  default: undefined,
  parse(value: unknown, at: string): ServedMetadata | string {
    if (typeof value === 'string') return url.parse(value, at)
    if (isPlainObject(value)) return served.parse(value, at)
    throw new TypeError(`${at} must be the URL of the document, or an object`)
  },
} as const

/**
 * @param given - the option
 * @param guard - the options of the guard, from which the document is built
 * @throws TypeError if the guard is to serve it and `audience` is no URL
 */
export function resolveMetadata(
  given: ServedMetadata | string | undefined,
  guard: {
    readonly audience: string
    readonly issuer: string
    readonly dPoP: ResolvedDPoPOptions | undefined
    readonly getCertificate: unknown
  },
): ResourceMetadata | undefined {
  if (given === undefined) return undefined
  if (typeof given === 'string') return { url: given }
  const { audience, issuer, dPoP, getCertificate } = guard
  if (!isHttpUrl(audience) || audience.includes('?')) {
    throw new TypeError(
      'resourceServer.resourceMetadata must be the URL of the document: audience is no http or https URL without a query, from which it would follow',
    )
  }
  const { origin, pathname } = new URL(audience)
  const { path = WELL_KNOWN + (pathname === '/' ? '' : pathname), scopes, name } = given
  const document = {
    resource: audience,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    ...(scopes ? { scopes_supported: scopes } : {}),
    ...(name === undefined ? {} : { resource_name: name }),
    ...(dPoP ? { dpop_signing_alg_values_supported: dPoP.algorithms } : {}),
    ...(getCertificate ? { tls_client_certificate_bound_access_tokens: true } : {}),
  }
  return Object.freeze({ url: `${origin}${path}`, path, document: Object.freeze(document) })
}

/**
 * Returns the response to a request for the guard's metadata, and `undefined` for any other
 * request.
 */
export function metadataAnswer(
  metadata: ResourceMetadata | undefined,
  method: string | undefined,
  target: string | undefined,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } | undefined {
  if (metadata?.document === undefined || (method !== 'GET' && method !== 'HEAD')) return undefined
  if (target?.split('?', 1)[0] !== metadata.path) return undefined
  return {
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'public, max-age=300',
      'Access-Control-Allow-Origin': '*',
    },
    body: JSON.stringify(metadata.document),
  }
}
