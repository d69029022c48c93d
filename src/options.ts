import type { BindingMember } from './binding.ts'
import type { GetCustomJwtClaims } from './claims-hook.ts'
import type { Authorize, ContextStandardSchema, ContextValidator } from './policy-hook.ts'
import type { RateLimiter } from './rate-limit.ts'

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
   * The deployment's rule: who may act as whom, for what. Asked when a subject token is issued and
   * again when it is exchanged. `false` refuses (403 at issue, 400 at the exchange, both
   * `access_denied`); `{ scope }` narrows and `{ accessTokenTtl }` shortens; throwing, or answering
   * anything else, is 500. Nothing is issued then.
   * @defaultValue everything is allowed that the rest of the options allow
   */
  authorize?: Authorize | undefined
  /**
   * Validates `context` when a subject token is issued: a function or a Standard Schema. Its
   * complaints reach the caller by field; the value it answers is what is kept.
   * @defaultValue any JSON object is a context
   */
  contextSchema?: ContextValidator | ContextStandardSchema | undefined
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
  /**
   * Members that every request for a subject token must have: of `mayAct`, `resource`, `scope`,
   * `expiresIn`. `mayAct` may name the operator, the client, or both; `authorize` can ask for more.
   * @defaultValue `[]`
   */
  requireBinding?: readonly BindingMember[] | undefined
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
  /**
   * How long ago the operator may have signed in, in seconds: 1 to 2592000. Where that cannot be
   * known, the actor token is refused: tokens issued before this was set do not tell, nor do
   * impersonated ones in a chain.
   * @defaultValue no limit
   */
  maxAge?: number | undefined
  /**
   * Whether the actor token must have been issued to the client that exchanges.
   * @defaultValue `false`
   */
  sameClient?: boolean | undefined
  /** Actors that act through others. RFC 8693 §4.1. */
  chain?: ActorChainOptions | undefined
}

export interface ActorChainOptions {
  /**
   * How many prior actors an actor token may carry in its own `act`: 0 to 8. With 0, a token that
   * is itself impersonated is no actor token.
   * @defaultValue `0`
   */
  maxDepth?: number | undefined
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
  /**
   * Limits how often a client may ask for subject tokens: a limiter of rate-limiter-flexible, or
   * anything with its `consume`. The key is the client's id.
   * @defaultValue no limit
   */
  issue?: RateLimiter | undefined
  /**
   * Limits how often exchanges may fail. The key is the client's id, and for public clients, whose
   * id anybody may use, the caller's address as well: behind a proxy, set the application's `proxy`
   * and see that the proxy overwrites `X-Forwarded-For`, or set `maxIpsCount`.
   * @defaultValue no limit
   */
  failedExchanges?: RateLimiter | undefined
}
