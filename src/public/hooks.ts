import type { Account, Client, ClientMetadata, KoaContextWithOIDC } from 'oidc-provider'

/** The question to the policy: is this request allowed? */
export interface AuthorizationRequest {
  /** `'issue'`: a subject token is asked for. `'exchange'`: one is about to be redeemed. */
  readonly stage: 'issue' | 'exchange'
  /**
   * A question beforehand, at the stage `'issue'`: nothing is issued, whatever is answered. A rule that
   * counts must not count it.
   */
  readonly isPreview?: true | undefined
  /** The client that asks: at issue the machine-to-machine client, then the one that exchanges. */
  readonly client: Client
  /** The user to be impersonated. */
  readonly account: Account
  /**
   * Who acts. At the exchange, the operator of the actor token; absent without one. At issue, the
   * operator that the token is to be bound to (`mayAct.sub`); absent where it is bound to none.
   */
  readonly actor: Actor | undefined
  /** At the exchange: the client that the actor token was issued to. */
  readonly actorClient?: string | undefined
  /**
   * At the exchange: the software that acts, for `actor` or on its own; the id of `client`, where
   * `softwareActors` names it.
   */
  readonly software?: string | undefined
  /** What the token is bound to, of operator and client. */
  readonly mayAct: MayAct | undefined
  /** The resource the token is for; at issue, those it is to be bound to. */
  readonly resource: string | readonly string[] | undefined
  /**
   * The scopes that would be granted. At issue, the most that ever will be; absent where the
   * token is not to be bound.
   */
  readonly scope: string | undefined
  /** The `context` of the subject token. */
  readonly context: SubjectTokenContext
  /** The Koa context of the request. */
  readonly ctx: KoaContextWithOIDC
}

/** Whose approval a request needs: another person's than the operator's, or the user's own. */
export type Need = 'second_person' | 'user'

/** `true`, `false`, or a narrower permission: at least one of these members, and no others. */
export type Verdict =
  | boolean
  | {
      /** Some of the scopes that were asked for. Without this member, all of them. */
      readonly scope?: string
      /**
       * The maximum lifetime of the access token, in seconds: a positive safe integer. It applies
       * at the exchange; the shortest of all limits wins. At issue, the value is checked and has no
       * effect.
       */
      readonly accessTokenTtl?: number
      /**
       * Whose approval is missing: one or both. At issue the answer is 403 `approval_required`, and
       * nothing is stored; at the exchange `access_denied`, and the subject token stays usable.
       */
      readonly needs?: readonly Need[]
      /** Beside `needs`: whether an operator may act without them, in an emergency. */
      readonly emergency?: boolean
      /**
       * The id of the permit that allows it: 1 to 255 characters. Where several permits allow it together,
       * a list of 1 to 16 ids: the end of all under one of them ends it. The object and every event have
       * it.
       */
      readonly permit?: string | readonly string[]
      /**
       * Why a person has to look at it afterwards: 1 to 255 characters. The object and every event of
       * the impersonation have it.
       */
      readonly review?: string
    }

/**
 * The deployment's rule: which operator may act as which user, and for what. It is called twice: at
 * issue and at the exchange. `false` refuses with `access_denied`. It can remove scopes and cannot
 * add any. It can shorten the lifetime of the access token and cannot extend it.
 *
 * An object has at least one of the members of {@link Verdict} and no other. A member with the value `undefined`
 * is an error, and nothing is issued: a limit that was lost by mistake is not treated as "no
 * limit".
 */
export interface Authorize {
  (request: AuthorizationRequest): Promise<Verdict> | Verdict
  /**
   * What the rule does, in a sentence of 1 to 500 characters for people who do not read its code. The console shows it
   * to leads and auditors. Set it before the rule is given to the provider, or to what joins it with others. A rule that
   * is made of others has a list, with `undefined` for each that says nothing.
   */
  description?: string | readonly (string | undefined)[] | undefined
}

/** One complaint about `context`, in the shape of Standard Schema. */
export interface ContextIssue {
  /** What is wrong. The caller sees it. */
  readonly message: string
  /** Where in `context`, from the outside in; absent for all of it. */
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/** The context to keep, or what is wrong with it. */
export type ContextResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly ContextIssue[] }

/** Validates `context`. Answering `undefined` keeps it as it is. */
export type ContextValidator = (
  context: SubjectTokenContext,
) => Promise<ContextResult | undefined> | ContextResult | undefined

/** What is used of a Standard Schema (https://standardschema.dev): zod, valibot, arktype and others. */
export interface ContextStandardSchema {
  readonly '~standard': {
    readonly validate: (value: unknown) => Promise<ContextResult> | ContextResult
  }
}

/** JSON as it came with `POST /api/subject-tokens`, frozen all the way down. */
export type SubjectTokenContext = Readonly<Record<string, unknown>>

/**
 * The payload of the access token being issued, without what the hook is about to add.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9068#section-2.2
 */
export interface AccessTokenPayload {
  /** Absent for opaque tokens, whose id is their value. */
  readonly jti?: string
  /** The provider's Issuer Identifier. */
  readonly iss: string
  /** The user, or the client where no user takes part. Before any pairwise mapping. */
  readonly sub: string
  /** The resource that the token is for; absent where it is for none. */
  readonly aud?: string | readonly string[]
  /** The client that the token is issued to. */
  readonly client_id: string
  /** Space-separated scope tokens; absent where none is granted. */
  readonly scope?: string
  /** Seconds since the epoch. */
  readonly iat: number
  /** Seconds since the epoch. */
  readonly exp: number
  /** Who acts; absent without an actor token, and for other grants. */
  readonly act?: ActClaim
}

/** A client as the hook sees it: to read, not to change. */
export interface ClientView {
  /** The client's id, as in its metadata. */
  readonly clientId: string
  /** A copy of its metadata, without the secret. */
  readonly metadata: Readonly<ClientMetadata>
}

/** What is known about the request that issues the token. */
export interface CustomJwtClaimsContext {
  /** The grant that issues the token. */
  readonly grant: {
    /**
     * The `grant_type` of the request, or the token's `gty` where the request has none. For an
     * impersonation `urn:ietf:params:oauth:grant-type:token-exchange`.
     */
    readonly type: string
    /** The `context` the subject token was issued with; `{}` if none, and for other grants. */
    readonly subjectTokenContext: SubjectTokenContext
  }
  /** The operator who acts; absent without an actor token, and for other grants. */
  readonly actor: Actor | undefined
  /** The client that the actor token was issued to; absent where `actor` is. */
  readonly actorClient: string | undefined
  /** The client that asks for the token. */
  readonly client: ClientView | undefined
}

/** What the claims hook receives. */
export interface CustomJwtClaimsInput {
  /** The access token that is being issued. */
  readonly token: AccessTokenPayload
  /** The request that issues it. */
  readonly context: CustomJwtClaimsContext
  /** The option `environmentVariables`, frozen. */
  readonly environmentVariables: Readonly<Record<string, string>>
}

/**
 * Answers claims to add to the access token that is being issued. Names that the provider sets
 * (`act`, `sub`, `aud`, `iss`, `exp` and the like) are ignored.
 *
 * @throws `errors.AccessDenied` of oidc-provider to refuse the request: 400 `access_denied`. Anything
 * else that is thrown is 500.
 */
export type GetCustomJwtClaims = (
  input: CustomJwtClaimsInput,
) => Promise<object | undefined> | object | undefined

/**
 * Who acts. Software that acts has its client id in `sub` and in `clientId`, so that it is told apart
 * from an account with the same id; the person for whom it acts is its `act`. In a token, it is the
 * claim `act`: {@link ActClaim}.
 */
export interface Actor {
  /** The operator's account id, or the client id of software. */
  readonly sub: string
  /** Of software alone: its client id. */
  readonly clientId?: string | undefined
  /** The person for whom software acts. */
  readonly act?: Actor | undefined
}

/**
 * The `act` claim of a token: who acts. Software that acts has its client id in `sub` and in `client_id`, so that
 * it is told apart from an account with the same id; the person for whom it acts is its `act`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8693#section-4.1
 */
export interface ActClaim {
  /** The operator's account id, or the client id of software. */
  readonly sub: string
  /** Of software alone: its client id. */
  readonly client_id?: string | undefined
  /** The person for whom software acts. */
  readonly act?: ActClaim | undefined
}

/**
 * Who may redeem a subject token. In RFC 8693, `may_act` is a claim about a user; here it belongs
 * to one subject token.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8693#section-4.4
 */
export interface MayAct {
  /** The operator's account id: the exchange must carry an actor token of that account. */
  readonly sub?: string | undefined
  /** The client that must exchange. */
  readonly clientId?: string | undefined
}

/** What a subject token was bound to when it was issued. An absent member means: no binding. */
export interface Binding {
  readonly mayAct?: MayAct | undefined
  /** The resources it may be exchanged for. */
  readonly resource?: readonly string[] | undefined
  /** The maximum scope of its access token; the empty string means no scope. */
  readonly scope?: string | undefined
  /** How long its access token lives at most, in seconds: said where it was issued in the process. */
  readonly accessTokenTtl?: number | undefined
}

/** A member of an issue request that restricts the token, and that a deployment can insist on. */
export type BindingMember = 'mayAct' | 'resource' | 'scope' | 'expiresIn'
