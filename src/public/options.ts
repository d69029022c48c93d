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
   * Turns impersonation on. `false` leaves a plain provider, without a route and without the
   * grant.
   * @defaultValue `false`
   */
  enabled?: boolean | undefined
  /** The endpoint that issues subject tokens, and its clients. */
  managementApi?: ManagementApiOptions | undefined
  /**
   * Lets clients that register themselves (`features.registration`,
   * `features.clientIdMetadataDocument`) list the token-exchange grant. With `false`, their
   * metadata is validated as if the provider did not have the grant, also when a client is
   * updated. Clients of the configuration and of the storage may list it. A client that registered
   * while this was `true` counts as a client of the storage. It gives no client the right to
   * issue.
   * @defaultValue `false`
   */
  allowSelfRegisteredClients?: boolean | undefined
  /**
   * Your own applications in which operators act. Operators who are signed in get the scope
   * `openid` there without a consent page, and nothing else. Such an application sends
   * `prompt=none` to find out who is signed in, and the provider cannot show a consent page then.
   * Your `loadExistingGrant` is called first.
   * @defaultValue `[]`: operators have to consent first
   * @example
   * applications: ['shop', 'support-console']
   */
  applications?: ClientRule | undefined
  /**
   * The one-time tokens that an exchange redeems. The provider's own `ttl.SubjectToken` sets their
   * lifetime. It is a number of seconds or a function, 600 by default, 3600 at most.
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
   * Clients that are software which acts, such as a support copilot. It is a list of their ids, or
   * a function of the client. The client that authenticated at the exchange is then the outermost
   * actor in `act`. It acts for the person of the actor token. If no actor token is sent and none
   * is required, it acts on its own. If the client is public, it is refused
   * (`unauthorized_client`).
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
   * The deployment's rule: who may act as whom, and for what. The provider calls it when a subject
   * token is issued and again when it is exchanged. `false` refuses (403 at issue, 400 at the
   * exchange, both `access_denied`). `{ scope }` narrows and `{ accessTokenTtl }` shortens. If it
   * throws `TooManyRequests`, the response is 429. If it throws or returns anything else, the
   * response is 500. Nothing is issued then.
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
   * Validates `context` when a subject token is issued. It is a function or a Standard Schema. Its
   * complaints reach the caller by field. The value that it returns is stored.
   * @defaultValue any JSON object is a context
   * @example
   * contextSchema: ({ ticket }) =>
   *   typeof ticket === 'string'
   *     ? undefined
   *     : { issues: [{ message: 'must be text', path: ['ticket'] }] }
   */
  contextSchema?: ContextValidator | ContextStandardSchema | undefined
  /**
   * Adds claims to access tokens. The provider calls it for every access token that it issues,
   * whatever the grant; `context.grant.type` names the grant. It can neither set nor replace `act`
   * or a claim of the provider's. If it throws `errors.AccessDenied`, the request is refused (400
   * `access_denied`). If it throws anything else, or returns anything but an object, the response
   * is 500. No token is issued then.
   * @defaultValue no claims are added
   * @example
   * getCustomJwtClaims: ({ context }) => ({ ticket: context.grant.subjectTokenContext.ticket })
   */
  getCustomJwtClaims?: GetCustomJwtClaims | undefined
  /**
   * The `environmentVariables` of `getCustomJwtClaims`, as a frozen copy. It is never
   * `process.env` by itself.
   * @defaultValue `{}`
   * @example
   * environmentVariables: { REGION: 'eu' }
   */
  environmentVariables?: Readonly<Record<string, string>> | undefined
}

/** `subjectToken`: the one-time tokens that an exchange redeems. */
export interface SubjectTokenOptions {
  /**
   * The mechanism of single use. `'adapter'` uses the storage adapter's `consumeOnce`, across
   * processes. `'per-process'` uses a guard in this process. It is for a host that runs one
   * process alone and whose adapter has no `consumeOnce`.
   * @defaultValue `'adapter'`
   */
  singleUse?: 'adapter' | 'per-process' | undefined
}

/** `accessToken`: the access tokens that an exchange issues. */
export interface AccessTokenOptions {
  /**
   * The maximum lifetime of an impersonated access token, in seconds: 1 to 86400. If the resource
   * server's own lifetime is shorter, it applies. If impersonations can end, no access token
   * outlives the record of its subject token. The process that issued the subject token keeps the
   * record for as long as its own `maxTtl` requires. If processes differ, the token lives for no
   * longer than the record allows.
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
   * The maximum age of the operator's sign-in, in seconds: 1 to 2592000. If the time of the
   * sign-in is not known, the actor token is refused. Tokens that were issued before you set this
   * option do not carry it.
   * @defaultValue no limit
   * @example
   * maxAge: 3600
   */
  maxAge?: number | undefined
  /**
   * The clients whose access tokens of operators count as actor tokens. `true`: only the client
   * that exchanges. A list of client ids: only those, and the client that exchanges only if the
   * list names it. `false`: every client at which an operator signs in, so that anyone who gets
   * hold of one of these tokens can act as the operator.
   *
   * Software that exchanges, such as a copilot, brings a token of another client, so name that
   * client.
   * @defaultValue `false`
   * @example
   * sameClient: ['support-console']
   */
  sameClient?: boolean | readonly string[] | undefined
  /**
   * Adds the claim `op_grant_id`, the id of the grant behind a token, to JWT access tokens that
   * could be an actor token: those with the `scope` above. With `sameClient: true`, only tokens of
   * clients that list the token-exchange grant carry it. With a list, only tokens of its clients
   * do. With the claim, an exchange refuses an operator whose grant was revoked. With `false` no
   * token carries it, and a JWT is valid as an actor token until it expires. Opaque tokens need no
   * claim for it.
   * @defaultValue `true`
   */
  grantClaim?: boolean | undefined
}

/** `ending`: the list and the end of impersonations. */
export interface EndingOptions {
  /**
   * Makes impersonations listable and endable. With `true`, a storage adapter that cannot do it is
   * an error at the start. With `false`, there is no route, no status list, and no `status` in
   * tokens. A subject token that was issued under `false` is refused while this is on, because its
   * access token could not be ended. An opaque token whose impersonation was ended stays inactive
   * under `false`, if the storage adapter can end impersonations.
   * @defaultValue on if the storage adapter can; if it cannot, one notice at the start
   * @example
   * enabled: true
   */
  enabled?: boolean | undefined
  /**
   * The effect of a replay: a subject token that is presented again after its redemption. `'end'`
   * ends the impersonation that the first use started. `'report'` raises the event
   * `impersonation.replayed`, and no more.
   * @defaultValue `'end'`
   */
  onReplay?: 'end' | 'report' | undefined
  /**
   * Ends an operator's impersonations when the operator signs out of the provider, or when the
   * grant of the operator's actor token is revoked or destroyed. The grant is the link. It does
   * not end an impersonation whose actor token had no grant, or was a JWT without its id
   * (`actorToken.grantClaim: false`).
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
   * The resource indicator of the management API, an absolute URI without fragment. It is the
   * audience of the machine-to-machine tokens that the API accepts. Required once `enabled`.
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
   * Lifetime of machine-to-machine tokens for the management API, in seconds: 1 to 86400.
   * @defaultValue `600`
   */
  tokenTtl?: number | undefined
  /**
   * Format of machine-to-machine tokens. A JWT costs no storage; an opaque one can be revoked.
   * @defaultValue `'jwt'`
   */
  tokenFormat?: 'jwt' | 'opaque' | undefined
  /**
   * The clients that may use the management API, and their actions. Required once `enabled`. A
   * list of client ids alone is short for `{ issue }`.
   *
   * A client needs the `client_credentials` grant in addition to being named, and it must
   * authenticate. A public client (`token_endpoint_auth_method: 'none'`) is always refused. Its
   * own `scope` need not list the scope of the management API.
   *
   * A client that is no longer named is refused with tokens that it already has, and so are the
   * subject tokens that it issued.
   * @example
   * clients: ['backend']
   */
  clients?: readonly string[] | ManagementClients | undefined
  /**
   * Members that every request for a subject token must have, from `mayAct`, `resource`, `scope`
   * and `expiresIn`. `mayAct` may name the operator, the client, or both. `authorize` can require
   * more.
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
   * The clients that may issue subject tokens, and so act as any user. The provider checks it when
   * a client gets a token for the management API, at each of its requests, and when one of its
   * subject tokens is exchanged.
   * @example
   * issue: (client) => ['backend', 'batch'].includes(client.clientId)
   */
  issue: ClientRule
  /**
   * The clients that may read impersonations: who helped whom, when and why. They request the
   * scope `impersonations:read`. The right to issue does not include it.
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
