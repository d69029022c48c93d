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

/** What an API must know to judge access tokens. */
export interface ResourceServerOptions {
  /**
   * The provider's Issuer Identifier: an absolute URL, as its discovery document has it.
   * @example
   * issuer: 'https://id.example.com/oidc'
   */
  readonly issuer: string
  /**
   * The API's own audience: its resource indicator, unless the provider says otherwise.
   * @example
   * audience: 'https://api.example.com'
   */
  readonly audience: string
  /**
   * Where the provider publishes its keys.
   * @defaultValue what its discovery document says
   * @example
   * jwksUri: 'https://id.example.com/oidc/jwks'
   */
  readonly jwksUri?: string | undefined
  /**
   * The signature algorithms of access tokens that are accepted, at least one. Status lists may be
   * signed with every asymmetric one that oidc-provider knows.
   * @defaultValue every asymmetric one that oidc-provider knows
   * @example
   * algorithms: ['ES256']
   */
  readonly algorithms?: readonly string[] | undefined
  /**
   * How far the clocks of API and provider may differ, in seconds: an integer from 0 to 300.
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
   * Refuses impersonated access tokens that have no `status`: those of a provider whose storage
   * cannot end impersonations, and those that were issued before it could. Tokens with `status` are
   * checked in any case.
   * @defaultValue `false`
   * @see https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list-21#section-8.3
   */
  readonly requireStatus?: boolean | undefined
  /**
   * Where clients find which provider, scopes and proofs this API takes, as MCP clients need it: the URL
   * of the document, or an object, with which the guard itself serves it. Every challenge has it as
   * `resource_metadata`. The guard serves it wherever it runs for that path: for the whole
   * application, or on a route of its own, `app.use(api.metadata.path, api.connect())`.
   * @defaultValue challenges do not say
   * @see https://www.rfc-editor.org/rfc/rfc9728
   * @example
   * resourceMetadata: { scopes: ['orders:read'], name: 'Orders' }
   */
  readonly resourceMetadata?: ServedMetadata | string | undefined
  /**
   * How the guard asks the provider: for its discovery document, its keys and its status lists. It
   * is for an API that reaches the provider through a proxy, or counts what it sends. The function
   * must honour `signal`, by which the guard gives up, and `redirect: 'manual'`.
   * @defaultValue the global `fetch`
   * @example
   * fetch: (url, init) => fetch(url, { ...init, dispatcher: new ProxyAgent('http://proxy:8080') })
   */
  readonly fetch?: Fetch | undefined
  /**
   * Is notified of every request whose token is a valid one of an impersonation, whether it passes or is
   * refused: who acts as whom, what was asked for, and what was answered. It is called once for each
   * request, after the answer, and changes no answer: what it throws is a process warning named
   * `ImpersonationWarning`. A token that is forged, expired or for another audience is not announced.
   * docs/your-apis.md has what the function gets, and how to hand it on.
   * @defaultValue no function is notified
   * @example
   * onImpersonatedRequest: (use) => console.log(JSON.stringify(use))
   */
  readonly onImpersonatedRequest?: OnImpersonatedRequest | undefined
}

/** What the guard asks for. It is a part of the `RequestInit` of the Fetch API. */
export interface FetchInit {
  readonly method?: 'GET'
  readonly headers?: Headers | Record<string, string>
  readonly redirect?: 'manual'
  readonly signal: AbortSignal
}

/** The global `fetch`, or a function that behaves like it. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>

/** How the guard learns which certificate a client proved. */
export interface MTLSOptions {
  /**
   * Answers the client certificate that TLS proved for this request; `undefined` where there is
   * none. Where a proxy ends TLS, it is what the proxy says, in a header that clients cannot set.
   *
   * @example
   * getCertificate: (request) => request.socket.getPeerX509Certificate()
   */
  readonly getCertificate: GetCertificate
}

const AUDIENCE = "the resource indicator of this API, for example 'https://api.example.com'"
const CERTIFICATE = 'a function that answers the client certificate of a request'

const isBoolean = (value: unknown) => typeof value === 'boolean'

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** What `resourceServer()` may be given: types, bounds and defaults. */
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
  // The global is looked up at each call, so that what replaces it later (a tracer) is used.
  const fetch: Fetch = resolved.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const { resourceMetadata: given, audience, issuer } = resolved
  const metadata = resolveMetadata(given, { audience, issuer, dPoP, getCertificate })
  return Object.freeze({ ...resolved, dPoP, getCertificate, metadata, fetch })
}
