import {
  metadataRule,
  type ResourceMetadata,
  resolveMetadata,
  type ServedMetadata,
} from './metadata.ts'
import {
  aBaseUrl,
  aFunction,
  algorithms,
  anInteger,
  aUrl,
  group,
  type Resolved,
  resolve,
  rule,
  SIGNING_ALGORITHMS,
} from './option-rules.ts'
import {
  type DPoPOptions,
  dPoPShape,
  type ResolvedDPoPOptions,
  resolveDPoP,
} from './sender/dpop-options.ts'
import type { GetCertificate } from './sender/sender.ts'
import type { OnImpersonatedRequest } from './uses/impersonation-use.ts'

/** The options of the guard of an API. */
export interface ResourceServerOptions {
  /**
   * The provider's Issuer Identifier, as its discovery document has it.
   * @example
   * issuer: 'https://id.example.com/oidc'
   */
  readonly issuer: string
  /**
   * The API's own audience: its resource indicator, unless the provider sets another.
   * @example
   * audience: 'https://api.example.com'
   */
  readonly audience: string
  /**
   * The URL of the provider's keys.
   * @defaultValue `jwks_uri` of its discovery document
   * @example
   * jwksUri: 'https://id.example.com/oidc/jwks'
   */
  readonly jwksUri?: string | undefined
  /**
   * The signature algorithms of access tokens that are accepted, at least one.
   * @defaultValue every asymmetric one that oidc-provider supports
   * @example
   * algorithms: ['ES256']
   */
  readonly algorithms?: readonly string[] | undefined
  /**
   * The largest difference between the clocks of API and provider, in seconds: an integer from 0
   * to 300.
   * @defaultValue `5`
   */
  readonly clockTolerance?: number | undefined
  /**
   * Accepts access tokens that are bound to a key, with a proof of that key.
   * @defaultValue they are refused
   * @see https://www.rfc-editor.org/rfc/rfc9449#section-7
   * @example
   * dPoP: { baseUrl: 'https://api.example.com' }
   */
  readonly dPoP?: DPoPOptions | undefined
  /**
   * Accepts access tokens that are bound to a certificate, on connections that prove it.
   * @defaultValue they are refused
   * @see https://www.rfc-editor.org/rfc/rfc8705#section-3
   * @example
   * mTLS: { getCertificate: (request) => request.socket.getPeerX509Certificate() }
   */
  readonly mTLS?: MTLSOptions | undefined
  /**
   * Refuses impersonated access tokens that have no `status`. A provider whose storage cannot end
   * impersonations issues such tokens.
   * @defaultValue `false`
   * @see https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list-21#section-8.3
   */
  readonly requireStatus?: boolean | undefined
  /**
   * Metadata in which clients, such as MCP clients, find the provider and the scopes of this API:
   * the URL of the document, or an object that the guard serves. Every challenge has it as
   * `resource_metadata`.
   * @defaultValue challenges name no metadata
   * @see https://www.rfc-editor.org/rfc/rfc9728
   * @example
   * resourceMetadata: { scopes: ['orders:read'], name: 'Orders' }
   */
  readonly resourceMetadata?: ServedMetadata | string | undefined
  /**
   * Fetches the provider's discovery document, keys and status lists. Set it if your API reaches
   * the provider through a proxy. The function must honour `signal` and `redirect: 'manual'`.
   * @defaultValue the global `fetch`
   * @example
   * fetch: (url, init) => fetch(url, { ...init, dispatcher: new ProxyAgent('http://proxy:8080') })
   */
  readonly fetch?: Fetch | undefined
  /**
   * Receives every request with a valid impersonated token, passed or refused: the actor, the user,
   * the request and the status of the response. The guard calls it once, after the response.
   * docs/your-apis.md lists the members.
   * @defaultValue no function is notified
   * @example
   * onImpersonatedRequest: (use) => console.log(JSON.stringify(use))
   */
  readonly onImpersonatedRequest?: OnImpersonatedRequest | undefined
}

/** The options with which the guard calls `fetch`, a part of the Fetch API's `RequestInit`. */
export interface FetchInit {
  readonly method?: 'GET'
  readonly headers?: Headers | Record<string, string>
  readonly redirect?: 'manual'
  readonly signal: AbortSignal
}

/** The global `fetch`, or a function that behaves like it. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>

/** The source of the certificate that a client proved. */
export interface MTLSOptions {
  /**
   * Returns the client certificate that TLS proved for this request; `undefined` if there is none.
   * If a proxy ends TLS, read a header that only the proxy can set.
   * @example
   * getCertificate: (request) => request.socket.getPeerX509Certificate()
   */
  readonly getCertificate: GetCertificate
}

const AUDIENCE = "the resource indicator of this API, for example 'https://api.example.com'"
const CERTIFICATE = 'a function that answers the client certificate of a request'

const isBoolean = (value: unknown) => typeof value === 'boolean'

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** The options of `resourceServer()`: types, bounds and defaults. */
export const resourceServerShape = {
  issuer: {
    ...aBaseUrl(),
    required: "the provider's Issuer Identifier, for example 'https://id.example.com/oidc'",
  },
  audience: {
    ...rule('text', isText, `a non-empty string: ${AUDIENCE}`, undefined),
    required: AUDIENCE,
  },
  jwksUri: aUrl(),
  algorithms: algorithms(SIGNING_ALGORITHMS),
  clockTolerance: anInteger(0, 300, 5),
  dPoP: group(dPoPShape),
  mTLS: group({
    getCertificate: {
      ...aFunction<GetCertificate>(`: ${CERTIFICATE}`),
      required: CERTIFICATE,
    },
  }),
  requireStatus: rule('boolean', isBoolean, 'true or false', false),
  resourceMetadata: metadataRule,
  fetch: aFunction<Fetch>(),
  onImpersonatedRequest: aFunction<OnImpersonatedRequest>(),
} as const

type GivenOptions = Resolved<typeof resourceServerShape>

/** The options with every default filled in, frozen. */
export interface ResolvedResourceServerOptions
  extends Pick<
    GivenOptions,
    | 'issuer'
    | 'audience'
    | 'jwksUri'
    | 'algorithms'
    | 'clockTolerance'
    | 'requireStatus'
    | 'onImpersonatedRequest'
  > {
  readonly dPoP: ResolvedDPoPOptions | undefined
  readonly getCertificate: GetCertificate | undefined
  readonly metadata: ResourceMetadata | undefined
  readonly fetch: Fetch
}

const OPTIONS_PATH = 'resourceServer'

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError naming the dotted path of the first option that is missing, unknown or wrong
 */
export function resolveOptions(options: ResourceServerOptions): ResolvedResourceServerOptions {
  const resolved = resolve(resourceServerShape, options, OPTIONS_PATH)
  const dPoP = resolved.dPoP && resolveDPoP(resolved.dPoP, `${OPTIONS_PATH}.dPoP`)
  const getCertificate = resolved.mTLS?.getCertificate
  // Look up the global at each call, so that a later replacement (a tracer) is used.
  const fetch: Fetch = resolved.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const { resourceMetadata: given, audience, issuer } = resolved
  const metadata = resolveMetadata(given, { audience, issuer, dPoP, getCertificate })
  return Object.freeze({ ...resolved, dPoP, getCertificate, metadata, fetch })
}
