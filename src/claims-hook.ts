import type { ClientMetadata } from 'oidc-provider'

/** JSON as it came with `POST /api/subject-tokens`, frozen all the way down. */
export type SubjectTokenContext = Readonly<Record<string, unknown>>

/** The `act` claim: who acts. RFC 8693 §4.1. */
export interface ActClaim {
  readonly sub: string
  /** Who acted through this actor before, where chains are allowed. */
  readonly act?: ActClaim | undefined
}

/** The operator behind an exchange, as its actor token showed. */
export interface Actor extends ActClaim {
  /** The client that the actor token was issued to. */
  readonly clientId: string
}

/** The payload of the access token being issued, without what the hook is about to add. */
export interface AccessTokenPayload {
  /** Absent for opaque tokens, whose id is their value. */
  readonly jti?: string
  readonly iss: string
  /** The user, or the client where no user takes part. Before any pairwise mapping. */
  readonly sub: string
  readonly aud?: string | readonly string[]
  readonly client_id: string
  readonly scope?: string
  /** Seconds since the epoch. */
  readonly iat: number
  /** Seconds since the epoch. */
  readonly exp: number
  readonly act?: ActClaim
}

/** A client as the hook sees it: to read, not to change. */
export interface ClientView {
  readonly clientId: string
  /** A copy of its metadata, without the secret. */
  readonly metadata: Readonly<ClientMetadata>
}

/** What is known about the request that issues the token. */
export interface CustomJwtClaimsContext {
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

export interface CustomJwtClaimsInput {
  readonly token: AccessTokenPayload
  readonly context: CustomJwtClaimsContext
  /** The option `environmentVariables`, frozen. */
  readonly environmentVariables: Readonly<Record<string, string>>
}

/**
 * Answers claims to add to the access token that is being issued. Names that the provider sets
 * (`act`, `sub`, `aud`, `iss`, `exp` and the like) are ignored.
 */
export type GetCustomJwtClaims = (
  input: CustomJwtClaimsInput,
) => Promise<object | undefined> | object | undefined
