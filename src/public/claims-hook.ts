import type { ClientMetadata } from 'oidc-provider'
import type { ActClaim } from './act-claim.ts'

export type { ActClaim } from './act-claim.ts'

/** JSON as it came with `POST /api/subject-tokens`, frozen all the way down. */
export type SubjectTokenContext = Readonly<Record<string, unknown>>

/** The operator behind an exchange, as its actor token showed. */
export interface Actor extends ActClaim {
  /** The client that the actor token was issued to. */
  readonly clientId: string
}

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
