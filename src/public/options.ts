import type { Client } from 'oidc-provider'
import type {
  Authorize,
  BindingMember,
  ContextStandardSchema,
  ContextValidator,
  GetCustomJwtClaims,
} from './hooks.ts'

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
  /**
   * Whether clients that register themselves (`features.registration`,
   * `features.clientIdMetadataDocument`) may list the token-exchange grant. With `false`, what they
   * send is validated as if the provider did not have it, when a client is updated too. Clients of
   * the configuration and of the storage may list it; a client that registered while this was
   * `true` is one of the latter. It gives no client the right to issue.
   * @defaultValue `false`
   */
  allowSelfRegisteredClients?: boolean | undefined
  /**
   * Your own applications in which operators act. Operators who are signed in get the scope `openid`
   * there without a consent page, and nothing else. Such an application asks the provider with
   * `prompt=none` who is signed in, and the provider cannot ask for consent then. Your
   * `loadExistingGrant` is called first.
   * @defaultValue `[]`: operators have to consent first
   * @example
   * applications: ['shop', 'support-console']
   */
  applications?: ClientRule | undefined
  /**
   * The one-time tokens that an exchange redeems. How long they live, the provider's own
   * `ttl.SubjectToken` says: a number of seconds or a function, 600 by default, 3600 at most.
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
   * Clients that are software which acts, such as a support copilot: their ids, or a function of the
   * client. The client that authenticated at the exchange is then the outermost actor in `act`, for
   * the person of the actor token, or on its own where no actor token is sent and none is required. A
   * public client that is named is refused (`unauthorized_client`).
   * @defaultValue `[]`: a client is not named in `act`
   * @example
   * softwareActors: ['copilot']
   */
  softwareActors?: ClientRule | undefined
  /** How an impersonation can be seen and ended after its subject token was issued. */
  ending?: EndingOptions | undefined
  /** How much a request may carry. */
  limits?: LimitOptions | undefined
  /**
   * The deployment's rule: who may act as whom, for what. Asked when a subject token is issued and
   * again when it is exchanged. `false` refuses (403 at issue, 400 at the exchange, both
   * `access_denied`); `{ scope }` narrows and `{ accessTokenTtl }` shortens; throwing
   * `TooManyRequests` is 429. Throwing or answering anything else is 500. Nothing is issued then.
   * @defaultValue everything is allowed that the rest of the options allow
   * @example
   * authorize({ stage, actor, account, context }) {
   *   if (account.accountId === 'root') return false // is never acted as
   *   if (stage === 'issue') return typeof context.ticketId === 'string'
   *   return actor !== undefined // at the exchange, it is known who acts
   * }
   */
  authorize?: Authorize | undefined
  /**
   * Validates `context` when a subject token is issued: a function or a Standard Schema. Its
   * complaints reach the caller by field; the value it answers is what is kept.
   * @defaultValue any JSON object is a context
   * @example
   * contextSchema: ({ ticket }) =>
   *   typeof ticket === 'string'
   *     ? undefined
   *     : { issues: [{ message: 'must be text', path: ['ticket'] }] }
   */
  contextSchema?: ContextValidator | ContextStandardSchema | undefined
  /**
   * Adds claims to access tokens. Called for every access token the provider issues, whatever the
   * grant; `context.grant.type` says which. It can neither set nor replace `act` or a claim of the
   * provider's. Throwing `errors.AccessDenied` refuses the request (400 `access_denied`); throwing
   * anything else, or answering anything but an object, answers 500. No token is issued then.
   * @defaultValue no claims are added
   * @example
   * getCustomJwtClaims: ({ context }) => ({ ticket: context.grant.subjectTokenContext.ticket })
   */
  getCustomJwtClaims?: GetCustomJwtClaims | undefined
  /**
   * What `getCustomJwtClaims` receives as `environmentVariables`, as a frozen copy. Never
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
   * How single use is kept. `'adapter'`: by the storage adapter's `consumeOnce`, across processes.
   * `'per-process'`: by a guard in this process, for a host that runs one process alone and whose
   * adapter has no `consumeOnce`.
   * @defaultValue `'adapter'`
   */
  singleUse?: 'adapter' | 'per-process' | undefined
}

/** `accessToken`: the access tokens that an exchange issues. */
export interface AccessTokenOptions {
  /**
   * The longest an impersonated access token may live, in seconds: 1 to 86400. The resource
   * server's own lifetime applies where it is shorter. Where impersonations can end, no access token
   * outlives the record of its subject token, which is kept for as long as the process that issued
   * it says here: where processes differ, it lives for no more than the record allows.
   * @defaultValue `3600`
   */
  maxTtl?: number | undefined
}

/** `actorToken`: the operator's access token, which an exchange may carry. */
export interface ActorTokenOptions {
  /**
   * Whether an exchange without an actor token is refused.
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
   * How long ago the operator may have signed in, in seconds: 1 to 2592000. If that cannot be known, the
   * actor token is refused: tokens issued before this was set do not tell.
   * @defaultValue no limit
   * @example
   * maxAge: 3600
   */
  maxAge?: number | undefined
  /**
   * The clients whose access tokens of operators count as actor tokens. `true`: only the client that
   * exchanges. A list of client ids: only those, and the client that exchanges only if the list names
   * it. `false`: every client at which an operator signs in, so that anyone who gets hold of one of
   * these tokens can act as the operator.
   *
   * Software that exchanges, such as a copilot, brings a token of another client: name that client.
   * @defaultValue `false`
   * @example
   * sameClient: ['support-console']
   */
  sameClient?: boolean | readonly string[] | undefined
  /**
   * Whether JWT access tokens that could be an actor token carry `op_grant_id`, the id of the grant
   * behind them: those with the `scope` above. With `sameClient: true`, only those of clients that
   * list the token-exchange grant, and with a list, only those of its clients. By it an exchange refuses an operator whose grant was revoked.
   * With `false` no token carries it, and a JWT is good as an actor token until it expires. Opaque
   * tokens need no claim for it.
   * @defaultValue `true`
   */
  grantClaim?: boolean | undefined
}

/** `ending`: how an impersonation can be seen and ended. */
export interface EndingOptions {
  /**
   * Whether impersonations can be seen and ended. `true`: a storage adapter that cannot is an error
   * at the start. `false`: no route, no status list, and no `status` in tokens. A subject token that
   * was issued under `false` is refused where it is on: what comes of it could not be ended. An opaque
   * token whose impersonation was ended stays inactive under `false`, where the storage adapter
   * could end it.
   * @defaultValue on where the storage adapter can; where it cannot, one notice at the start
   * @example
   * enabled: true
   */
  enabled?: boolean | undefined
  /**
   * What a replay does: a subject token that is presented again after it was redeemed. `'end'`: it
   * ends what the first use got. `'report'`: the event `impersonation.replayed`, and no more.
   * @defaultValue `'end'`
   */
  onReplay?: 'end' | 'report' | undefined
  /**
   * Whether what an operator runs ends when the operator signs out of the provider, or the grant of
   * the operator's actor token is revoked or destroyed. It is matched by that grant: an actor token
   * without one, or a JWT without its id (`actorToken.grantClaim: false`), is not matched.
   * @defaultValue `true`
   */
  endWithOperator?: boolean | undefined
}

/** `limits`: how much a request may carry. */
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
   * The resource indicator of the management API: an absolute URI without fragment, and the
   * audience of the machine-to-machine tokens that it accepts. Required once `enabled`.
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
   * The path before `/subject-tokens`, below wherever `routes()` is mounted: `''` or `/segments`.
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
   * Which clients may use the management API, and for what. Required once `enabled`. A list of
   * client ids alone is short for `{ issue }`.
   *
   * A client needs the `client_credentials` grant beside being named, and it must authenticate: a
   * public client (`token_endpoint_auth_method: 'none'`) never may. Its own `scope` need not list
   * the scope of the management API: being named is what counts.
   *
   * A client that is not named any more is refused with tokens that it already has, and so are the
   * subject tokens that it issued.
   * @example
   * clients: ['backend']
   */
  clients?: readonly string[] | ManagementClients | undefined
  /**
   * Members that every request for a subject token must have: of `mayAct`, `resource`, `scope`,
   * `expiresIn`. `mayAct` may name the operator, the client, or both; `authorize` can ask for more.
   * @defaultValue `[]`
   */
  requireBinding?: readonly BindingMember[] | undefined
}

/**
 * Names clients: by a list of their ids, or by a function, for deployments that keep clients in a
 * database. An empty list names none. Where clients register themselves, a function that says
 * `true` to all names strangers. One that throws, or that answers anything but a boolean or a
 * promise of one, is a 500.
 */
export type ClientRule = readonly string[] | ((client: Client) => boolean | Promise<boolean>)

/** Which clients may do what at the management API. */
export interface ManagementClients {
  /**
   * The clients that may issue subject tokens, and so act as any user. Asked when a client gets a
   * token for the management API, at each of its requests, and when what it issued is exchanged.
   * @example
   * issue: (client) => ['backend', 'batch'].includes(client.clientId)
   */
  issue: ClientRule
  /**
   * The clients that may see impersonations: who helped whom, when and why. They ask for the scope
   * `impersonations:read`. The right to issue does not include it.
   * @defaultValue `[]`
   * @example
   * read: ['backend', 'dashboard']
   */
  read?: ClientRule | undefined
  /**
   * The clients that may end impersonations. They ask for the scope `impersonations:end`.
   * @defaultValue `[]`
   * @example
   * end: ['on-call']
   */
  end?: ClientRule | undefined
}
