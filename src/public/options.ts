import type { Client } from 'oidc-provider'
import type {
  Authorize,
  BindingMember,
  ContextStandardSchema,
  ContextValidator,
  GetCustomJwtClaims,
} from './hooks.ts'

/** `features.impersonation`: its options, with their defaults. */
export interface ImpersonationOptions {
  /**
   * Turns impersonation on. `false` leaves a plain provider.
   * @defaultValue `false`
   */
  enabled?: boolean | undefined
  /** The endpoint that issues subject tokens, and its clients. */
  managementApi?: ManagementApiOptions | undefined
  /**
   * Lets clients that register themselves list the token-exchange grant. A client that registered
   * while this was `true` keeps the grant.
   * @defaultValue `false`
   */
  allowSelfRegisteredClients?: boolean | undefined
  /**
   * Your own applications in which operators act. Operators who are signed in get the scope
   * `openid` there without a consent page, and nothing else. Your `loadExistingGrant` is called
   * first.
   * @defaultValue `[]`: operators have to consent first
   * @example
   * applications: ['shop', 'support-console']
   */
  applications?: ClientRule | undefined
  /**
   * The one-time tokens that an exchange redeems. The provider's own `ttl.SubjectToken` sets their
   * lifetime, a number of seconds or a function: 600 by default, 3600 at most.
   */
  subjectToken?: SubjectTokenOptions | undefined
  /** The access tokens that an exchange issues. */
  accessToken?: AccessTokenOptions | undefined
  /**
   * The operator's access token, which an exchange may carry.
   * @see https://www.rfc-editor.org/rfc/rfc8693#section-2.1
   */
  actorToken?: ActorTokenOptions | undefined
  /**
   * Clients that are software which acts, such as a support copilot. The client of the exchange is
   * then the outermost actor in `act`, for the person of the actor token, or on its own.
   * @defaultValue `[]`: a client is not named in `act`
   * @example
   * softwareActors: ['copilot']
   */
  softwareActors?: ClientRule | undefined
  /** The list and the end of impersonations after their subject tokens were issued. */
  ending?: EndingOptions | undefined
  /** The maximum sizes of a request. */
  limits?: LimitOptions | undefined
  /**
   * Decides who may act as whom. The provider calls it at issue and again at the exchange. `false`
   * refuses. `{ scope }` narrows and `{ accessTokenTtl }` shortens. If it throws `TooManyRequests`,
   * the response is 429. If it throws or returns anything else, the response is 500.
   * @defaultValue everything is allowed that the rest of the options allow
   * @example
   * authorize({ stage, actor, account, context }) {
   *   if (account.accountId === 'root') return false // is never acted as
   *   if (stage === 'issue') return typeof context.ticketId === 'string'
   *   return actor !== undefined // at the exchange, the actor is known
   * }
   */
  authorize?: Authorize | undefined
  /**
   * Validates `context` at issue, as a function or a Standard Schema. The caller gets its issues by
   * field. The value that it returns is stored.
   * @defaultValue any JSON object is a context
   * @example
   * contextSchema: ({ ticket }) =>
   *   typeof ticket === 'string'
   *     ? undefined
   *     : { issues: [{ message: 'must be text', path: ['ticket'] }] }
   */
  contextSchema?: ContextValidator | ContextStandardSchema | undefined
  /**
   * Adds claims to every access token that the provider issues. `context.grant.type` names the
   * grant. It can neither set nor replace `act` or a claim of the provider's. If it throws
   * `errors.AccessDenied`, the response is 400 `access_denied`. If it throws or returns anything
   * else than an object, the response is 500.
   * @defaultValue no claims are added
   * @example
   * getCustomJwtClaims: ({ context }) => ({ ticket: context.grant.subjectTokenContext.ticket })
   */
  getCustomJwtClaims?: GetCustomJwtClaims | undefined
  /**
   * The `environmentVariables` of `getCustomJwtClaims`, as a frozen copy.
   * @defaultValue `{}`
   * @example
   * environmentVariables: { REGION: 'eu' }
   */
  environmentVariables?: Readonly<Record<string, string>> | undefined
}

/** `subjectToken`: the one-time tokens that an exchange redeems. */
export interface SubjectTokenOptions {
  /**
   * `'adapter'` calls `consumeOnce` of the storage adapter. `'per-process'` is for one process
   * whose adapter has no `consumeOnce`.
   * @defaultValue `'adapter'`
   */
  singleUse?: 'adapter' | 'per-process' | undefined
}

/** `accessToken`: the access tokens that an exchange issues. */
export interface AccessTokenOptions {
  /**
   * The maximum lifetime of an impersonated access token, in seconds: 1 to 86400. A shorter
   * lifetime of the resource server applies.
   * @defaultValue `3600`
   */
  maxTtl?: number | undefined
}

/** `actorToken`: the operator's access token, which an exchange may carry. */
export interface ActorTokenOptions {
  /**
   * Refuses an exchange without an actor token.
   * @defaultValue `false`
   */
  required?: boolean | undefined
  /**
   * The scope an actor token must carry: one scope token.
   * @defaultValue `'openid'`
   * @example
   * scope: 'support'
   */
  scope?: string | undefined
  /**
   * The maximum age of the operator's sign-in, in seconds: 1 to 2592000. If the time of the sign-in
   * is not known, the actor token is refused.
   * @defaultValue no limit
   * @example
   * maxAge: 3600
   */
  maxAge?: number | undefined
  /**
   * The clients whose access tokens count as actor tokens. `true`: only the client that exchanges.
   * A list of client ids: only those. `false`: every client. Software that exchanges brings a token
   * of another client, so list that client.
   * @defaultValue `false`
   * @example
   * sameClient: ['support-console']
   */
  sameClient?: boolean | readonly string[] | undefined
  /**
   * Adds the claim `op_grant_id`, the id of the grant, to JWT access tokens that could be an actor
   * token. An exchange then refuses an operator whose grant was revoked. Opaque tokens need no
   * claim.
   * @defaultValue `true`
   */
  grantClaim?: boolean | undefined
}

/** `ending`: the list and the end of impersonations. */
export interface EndingOptions {
  /**
   * Lets impersonations be listed and ended. With `true`, a storage adapter that cannot do it is an
   * error at the start. Subject tokens from before this was on are refused.
   * @defaultValue on if the storage adapter can; if it cannot, one notice at the start
   * @example
   * enabled: true
   */
  enabled?: boolean | undefined
  /**
   * The effect of a second use of a subject token. `'end'` ends the impersonation that the first
   * use started. `'report'` only raises `impersonation.replayed`.
   * @defaultValue `'end'`
   */
  onReplay?: 'end' | 'report' | undefined
  /**
   * Ends an operator's impersonations when the operator signs out of the provider, or when the
   * grant of the actor token is revoked. An impersonation goes on if its actor token had no grant,
   * or was a JWT without `op_grant_id`.
   * @defaultValue `true`
   */
  endWithOperator?: boolean | undefined
}

/** `limits`: the maximum sizes of a request. */
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

/** `managementApi`: the endpoint that issues subject tokens. */
export interface ManagementApiOptions {
  /**
   * The resource indicator of the management API, an absolute URI without fragment.
   * @see https://www.rfc-editor.org/rfc/rfc8707#section-2
   * @example
   * resource: 'https://id.example.com/api'
   */
  resource?: string | undefined
  /**
   * The scope that a machine-to-machine token must carry: one scope token.
   * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.3
   * @defaultValue `'impersonate'`
   * @example
   * scope: 'support:impersonate'
   */
  scope?: string | undefined
  /**
   * The path before `/subject-tokens`, below the mount of `routes()`: `''` or `/segments`.
   * @defaultValue `'/api'`
   * @example
   * prefix: '/support'
   */
  prefix?: string | undefined
  /**
   * Lifetime of machine-to-machine tokens, in seconds: 1 to 86400.
   * @defaultValue `600`
   */
  tokenTtl?: number | undefined
  /**
   * Format of machine-to-machine tokens. A JWT needs no storage, and an opaque one can be revoked.
   * @defaultValue `'jwt'`
   */
  tokenFormat?: 'jwt' | 'opaque' | undefined
  /**
   * The clients that may use the management API. A list of client ids is short for `{ issue }`.
   *
   * Each client needs the `client_credentials` grant, and must authenticate. If you remove a
   * client, its tokens and its subject tokens are refused.
   * @example
   * clients: ['backend']
   */
  clients?: readonly string[] | ManagementClients | undefined
  /**
   * Members that every request for a subject token must have. `mayAct` may name the operator, the
   * client, or both.
   * @defaultValue `[]`
   */
  requireBinding?: readonly BindingMember[] | undefined
}

/**
 * Names clients, by a list of their ids, or by a function, for deployments that keep clients in a
 * database. An empty list names none. If clients can register themselves, a function that returns
 * `true` for all names strangers. If it throws, or returns anything but a boolean or a promise of
 * one, the response is 500.
 */
export type ClientRule = readonly string[] | ((client: Client) => boolean | Promise<boolean>)

/** The clients that may do each action at the management API. */
export interface ManagementClients {
  /**
   * The clients that may issue subject tokens, and so act as any user. The provider checks it at
   * each request, and when a subject token is exchanged.
   * @example
   * issue: (client) => ['backend', 'batch'].includes(client.clientId)
   */
  issue: ClientRule
  /**
   * The clients that may read impersonations: who helped whom, when and why. They request the scope
   * `impersonations:read`.
   * @defaultValue `[]`
   * @example
   * read: ['backend', 'dashboard']
   */
  read?: ClientRule | undefined
  /**
   * The clients that may end impersonations. They request the scope `impersonations:end`.
   * @defaultValue `[]`
   * @example
   * end: ['on-call']
   */
  end?: ClientRule | undefined
}
