import type { Account, Client, ClientMetadata, KoaContextWithOIDC } from 'oidc-provider'

/** The request that the policy decides about. */
export interface AuthorizationRequest {
  /**
   * The stage: at `'issue'`, a subject token is requested. At `'exchange'`, it is about to be
   * redeemed.
   */
  readonly stage: 'issue' | 'exchange'
  /**
   * `true` for a preview, at the stage `'issue'`. The provider issues nothing, whatever the rule
   * returns. A rule that counts must not count it.
   */
  readonly isPreview?: true | undefined
  /**
   * The requesting client: at issue the machine-to-machine client, then the client that exchanges.
   */
  readonly client: Client
  /** The user to be impersonated. */
  readonly account: Account
  /**
   * The actor. At the exchange, it is the operator of the actor token, and absent without an actor
   * token. At issue, it is the operator that the token is to be bound to (`mayAct.sub`), if any.
   */
  readonly actor: Actor | undefined
  /** At the exchange: the client that the actor token was issued to. */
  readonly actorClient?: string | undefined
  /**
   * At the exchange: the software that acts, for `actor` or on its own. It is the id of `client`,
   * if `softwareActors` names that client.
   */
  readonly software?: string | undefined
  /** The operator and the client that the token is bound to. */
  readonly mayAct: MayAct | undefined
  /** The resource of the token. At issue, it is the resources that the token is to be bound to. */
  readonly resource: string | readonly string[] | undefined
  /**
   * The scopes to grant. At issue, they are the maximum; absent if the token is not to be bound.
   */
  readonly scope: string | undefined
  /** The `context` of the subject token. */
  readonly context: SubjectTokenContext
  /** The Koa context of the request. */
  readonly ctx: KoaContextWithOIDC
}

/** A missing approval: another person's than the operator's, or the user's own. */
export type Need = 'second_person' | 'user'

/** `true`, `false`, or a narrower permission: at least one of these members, and no others. */
export type Verdict =
  | boolean
  | {
      /** Some of the requested scopes. Without this member, all of them are granted. */
      readonly scope?: string
      /**
       * The maximum lifetime of the access token, in seconds: a positive safe integer. It applies
       * at the exchange, and the shortest of all limits wins. At issue, the value is checked and
       * has no effect.
       */
      readonly accessTokenTtl?: number
      /**
       * The missing approvals, one or both. At issue the provider responds with 403
       * `approval_required`, and stores nothing. At the exchange it responds with `access_denied`,
       * and the subject token stays usable.
       */
      readonly needs?: readonly Need[]
      /** Allows an operator to act without `needs`, in an emergency. */
      readonly emergency?: boolean
      /**
       * The id of the permit that allows it, of 1 to 255 characters. If several permits allow it
       * together, it is a list of 1 to 16 ids, and the end of all impersonations under any of them
       * ends it. The object and every event have it.
       */
      readonly permit?: string | readonly string[]
      /**
       * The reason why a person has to review it afterwards, of 1 to 255 characters. The object
       * and every event of the impersonation have it.
       */
      readonly review?: string
    }

/**
 * The deployment's rule: which operator may act as which user, and for what. It is called twice,
 * at issue and at the exchange. `false` refuses with `access_denied`. It can remove scopes and
 * cannot add any. It can shorten the lifetime of the access token and cannot extend it.
 *
 * An object has at least one of the members of {@link Verdict} and no other. A member with the
 * value `undefined` is an error, and nothing is issued, because a limit that was lost by mistake
 * must not count as "no limit".
 */
export interface Authorize {
  (request: AuthorizationRequest): Promise<Verdict> | Verdict
  /**
   * Describes the rule, in a sentence of 1 to 500 characters for people who do not read its code.
   * The console shows it to leads and auditors. Set it before you give the rule to the provider or
   * combine it with others. A combined rule has a list, with `undefined` for each rule without a
   * description.
   */
  description?: string | readonly (string | undefined)[] | undefined
}

/** One complaint about `context`, in the shape of Standard Schema. */
export interface ContextIssue {
  /** The complaint. The caller sees it. */
  readonly message: string
  /** The path in `context`, from the outside in; absent for all of it. */
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/** The context to keep, or the complaints about it. */
export type ContextResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly ContextIssue[] }

/** Validates `context`. If it returns `undefined`, the context is kept as it is. */
export type ContextValidator = (
  context: SubjectTokenContext,
) => Promise<ContextResult | undefined> | ContextResult | undefined

/**
 * The members of a Standard Schema that are used (https://standardschema.dev): zod, valibot,
 * arktype and others.
 */
export interface ContextStandardSchema {
  readonly '~standard': {
    readonly validate: (value: unknown) => Promise<ContextResult> | ContextResult
  }
}

/** JSON as `POST /api/subject-tokens` got it, frozen all the way down. */
export type SubjectTokenContext = Readonly<Record<string, unknown>>

/**
 * The payload of the access token that is being issued, without the claims that the hook adds.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9068#section-2.2
 */
export interface AccessTokenPayload {
  /** Absent for opaque tokens, whose id is their value. */
  readonly jti?: string
  /** The provider's Issuer Identifier. */
  readonly iss: string
  /** The user, or the client if the token is for no user. It is before any pairwise mapping. */
  readonly sub: string
  /** The resource of the token; absent without a resource. */
  readonly aud?: string | readonly string[]
  /** The client that the token is issued to. */
  readonly client_id: string
  /** Space-separated scope tokens; absent if no scope is granted. */
  readonly scope?: string
  /** Seconds since the epoch. */
  readonly iat: number
  /** Seconds since the epoch. */
  readonly exp: number
  /** The actor; absent without an actor token, and for other grants. */
  readonly act?: ActClaim
}

/** A read-only view of a client for the hook. */
export interface ClientView {
  /** The client's id, as in its metadata. */
  readonly clientId: string
  /** A copy of its metadata, without the secret. */
  readonly metadata: Readonly<ClientMetadata>
}

/** Facts about the request that issues the token. */
export interface CustomJwtClaimsContext {
  /** The grant that issues the token. */
  readonly grant: {
    /**
     * The `grant_type` of the request, or the token's `gty` if the request has none. For an
     * impersonation it is `urn:ietf:params:oauth:grant-type:token-exchange`.
     */
    readonly type: string
    /** The `context` of the subject token; `{}` without one, and for other grants. */
    readonly subjectTokenContext: SubjectTokenContext
  }
  /** The operator who acts; absent without an actor token, and for other grants. */
  readonly actor: Actor | undefined
  /** The client that the actor token was issued to; absent without `actor`. */
  readonly actorClient: string | undefined
  /** The client that requests the token. */
  readonly client: ClientView | undefined
}

/** The input of the claims hook. */
export interface CustomJwtClaimsInput {
  /** The access token that is being issued. */
  readonly token: AccessTokenPayload
  /** The request that issues it. */
  readonly context: CustomJwtClaimsContext
  /** The option `environmentVariables`, frozen. */
  readonly environmentVariables: Readonly<Record<string, string>>
}

/**
 * Returns claims to add to the access token that is being issued. Names that the provider sets
 * (`act`, `sub`, `aud`, `iss`, `exp` and the like) are ignored.
 *
 * @throws `errors.AccessDenied` of oidc-provider to refuse the request: 400 `access_denied`. Any
 * other error leads to 500.
 */
export type GetCustomJwtClaims = (
  input: CustomJwtClaimsInput,
) => Promise<object | undefined> | object | undefined

/** The operator who acts. In a token, it is the claim `act`: {@link ActClaim}. */
export interface Actor {
  /** The operator's account id. */
  readonly sub: string
}

/**
 * The `act` claim of a token, its actor. Software has its client id in `sub` and in `client_id`,
 * so that it differs from an account with the same id. The person for whom it acts is its `act`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8693#section-4.1
 */
export interface ActClaim {
  /** The operator's account id, or the client id of software. */
  readonly sub: string
  /** The client id of software; absent for a person. */
  readonly client_id?: string | undefined
  /** The person for whom software acts. */
  readonly act?: ActClaim | undefined
}

/**
 * The party that may redeem a subject token. In RFC 8693, `may_act` is a claim about a user. Here
 * it belongs to one subject token.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8693#section-4.4
 */
export interface MayAct {
  /** The operator's account id. The exchange must carry an actor token of that account. */
  readonly sub?: string | undefined
  /** The client that must exchange. */
  readonly clientId?: string | undefined
}

/** The binding of a subject token from its issue. An absent member means no binding. */
export interface Binding {
  readonly mayAct?: MayAct | undefined
  /** The resources it may be exchanged for. */
  readonly resource?: readonly string[] | undefined
  /** The maximum scope of its access token; the empty string means no scope. */
  readonly scope?: string | undefined
  /**
   * The maximum lifetime of its access token, in seconds. It is set if the token was issued in the
   * process.
   */
  readonly accessTokenTtl?: number | undefined
}

/** A member of an issue request that restricts the token, and that a deployment can insist on. */
export type BindingMember = 'mayAct' | 'resource' | 'scope' | 'expiresIn'
