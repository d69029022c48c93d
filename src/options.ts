import type { GetCustomJwtClaims } from './claims-hook.ts'
import { resolve, type Shape } from './options-validation.ts'

/** `features.impersonation`: everything that can be set, and what happens when it is not. */
export interface ImpersonationOptions {
  /**
   * Whether the provider offers impersonation at all. `false` leaves a plain provider: no route,
   * no grant.
   * @defaultValue `false`
   */
  enabled?: boolean | undefined
  /** The endpoint that issues subject tokens, and who may call it. */
  managementApi?: ManagementApiOptions | undefined
  subjectToken?: SubjectTokenOptions | undefined
  accessToken?: AccessTokenOptions | undefined
  actorToken?: ActorTokenOptions | undefined
  limits?: LimitOptions | undefined
  /**
   * Adds claims to access tokens. Called for every access token the provider issues, whatever the
   * grant; `context.grant.type` says which. It can neither set nor replace `act` or a claim of the
   * provider's. Throwing `errors.AccessDenied` refuses the request (400 `access_denied`); throwing
   * anything else, or answering anything but an object, answers 500. No token is issued then.
   * @defaultValue no claims are added
   */
  getCustomJwtClaims?: GetCustomJwtClaims | undefined
  /**
   * What `getCustomJwtClaims` receives as `environmentVariables`, as a frozen copy. Never
   * `process.env` by itself.
   * @defaultValue `{}`
   */
  environmentVariables?: Readonly<Record<string, string>> | undefined
}

export interface ManagementApiOptions {
  /**
   * The resource indicator of the management API (RFC 8707 §2): an absolute URI without fragment,
   * and the audience of the machine-to-machine tokens that it accepts. Required once `enabled`.
   */
  resource?: string | undefined
  /**
   * The scope such a token must carry: one scope token (RFC 6749 §3.3).
   * @defaultValue `'impersonate'`
   */
  scope?: string | undefined
  /**
   * The path before `/subject-tokens`, below wherever `routes()` is mounted: `''` or `/segments`.
   * @defaultValue `'/api'`
   */
  prefix?: string | undefined
  /**
   * Lifetime of machine-to-machine tokens for the management API, in seconds: 1 to 86400.
   * @defaultValue `600`
   */
  tokenTtl?: number | undefined
  /**
   * Their format. A JWT costs no storage; an opaque one can be revoked.
   * @defaultValue `'jwt'`
   */
  tokenFormat?: 'jwt' | 'opaque' | undefined
  /**
   * Ids of the clients that may get a token for the management API.
   * @defaultValue every client with the `client_credentials` grant whose own `scope`, if it has
   * one, includes the management API's; where clients can register themselves
   * (`features.registration`, `features.clientIdMetadataDocument`), only those in the provider's
   * own `clients`
   */
  clients?: readonly string[] | undefined
}

export interface SubjectTokenOptions {
  /**
   * Lifetime of a subject token, in seconds: 1 to 3600. The provider's `ttl.SubjectToken` says
   * the same thing; set one of the two.
   * @defaultValue `600`
   */
  ttl?: number | undefined
  /**
   * How single use is kept. `'adapter'`: by the storage adapter's `consumeOnce`, across processes.
   * `'per-process'`: by a guard in this process, for a host that runs one process alone and whose
   * adapter has no `consumeOnce`.
   * @defaultValue `'adapter'`
   */
  singleUse?: 'adapter' | 'per-process' | undefined
}

export interface AccessTokenOptions {
  /**
   * The longest an impersonated access token may live, in seconds: 1 to 86400. The resource
   * server's own lifetime applies where it is shorter.
   * @defaultValue `3600`
   */
  maxTtl?: number | undefined
}

export interface ActorTokenOptions {
  /**
   * Whether an exchange without an actor token is refused.
   * @defaultValue `false`
   */
  required?: boolean | undefined
  /**
   * The scope an actor token must carry: one scope token.
   * @defaultValue `'openid'`
   */
  scope?: string | undefined
}

export interface LimitOptions {
  /**
   * Longest `userId`, in characters (code points): 1 to 1024.
   * @defaultValue `255`
   */
  userIdLength?: number | undefined
  /**
   * Largest `context`, in bytes of its JSON: 2 to 65536.
   * @defaultValue `4096`
   */
  contextBytes?: number | undefined
  /**
   * Largest request body of the management API, in bytes: 64 to 1048576.
   * @defaultValue `16384`
   */
  bodyBytes?: number | undefined
}

/** The options with every default filled in, frozen. */
export interface ResolvedOptions {
  readonly enabled: boolean
  readonly managementApi: {
    readonly resource: string
    readonly scope: string
    readonly prefix: string
    readonly tokenTtl: number
    readonly tokenFormat: 'jwt' | 'opaque'
    readonly clients: readonly string[] | undefined
  }
  readonly subjectToken: {
    readonly ttl: number | undefined
    readonly singleUse: 'adapter' | 'per-process'
  }
  readonly accessToken: { readonly maxTtl: number }
  readonly actorToken: { readonly required: boolean; readonly scope: string }
  readonly limits: {
    readonly userIdLength: number
    readonly contextBytes: number
    readonly bodyBytes: number
  }
  readonly getCustomJwtClaims: GetCustomJwtClaims | undefined
  readonly environmentVariables: Readonly<Record<string, string>>
}

/** The longest a subject token may live, in seconds. */
export const MAX_SUBJECT_TOKEN_TTL = 3600

/** Lifetime of a subject token where neither option says otherwise, in seconds. */
export const DEFAULT_SUBJECT_TOKEN_TTL = 600

const shape: Shape = {
  enabled: { type: 'boolean', default: false },
  managementApi: {
    resource: { type: 'resource', default: '' },
    scope: { type: 'scope', default: 'impersonate' },
    prefix: { type: 'path', default: '/api' },
    tokenTtl: { type: 'integer', min: 1, max: 86400, default: 600 },
    tokenFormat: { type: 'oneOf', values: ['jwt', 'opaque'], default: 'jwt' },
    clients: { type: 'strings', default: undefined },
  },
  subjectToken: {
    ttl: { type: 'integer', min: 1, max: MAX_SUBJECT_TOKEN_TTL, default: undefined },
    singleUse: { type: 'oneOf', values: ['adapter', 'per-process'], default: 'adapter' },
  },
  accessToken: { maxTtl: { type: 'integer', min: 1, max: 86400, default: 3600 } },
  actorToken: {
    required: { type: 'boolean', default: false },
    scope: { type: 'scope', default: 'openid' },
  },
  limits: {
    userIdLength: { type: 'integer', min: 1, max: 1024, default: 255 },
    contextBytes: { type: 'integer', min: 2, max: 65536, default: 4096 },
    bodyBytes: { type: 'integer', min: 64, max: 1048576, default: 16384 },
  },
  getCustomJwtClaims: { type: 'function', default: undefined },
  environmentVariables: { type: 'stringMap', default: {} },
}

const PATH = 'features.impersonation'

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError naming the dotted path of the first option that is unknown or wrong.
 */
export function resolveOptions(options: ImpersonationOptions): ResolvedOptions {
  const resolved = resolve<ResolvedOptions>(shape, options, PATH)
  if (resolved.enabled && resolved.managementApi.resource === '') {
    throw new TypeError(
      `${PATH}.managementApi.resource is required: the absolute URI that names the management API, for example 'https://id.example.com/api'`,
    )
  }
  return resolved
}
