// Members that an entry keeps of the events of the provider and of an API's guard.

/** The operator who acts. */
export interface ToldActor {
  readonly sub: string
}

/** The person who has to approve a request: a second person beside the operator, or the user. */
export type Need = 'second_person' | 'user'

/** The reasons for which an impersonation ended. */
export type EndCause = 'operator_signed_out' | 'policy' | 'replay' | 'requested' | 'user'

/** An event of the provider. A member that is not known is absent; `docs/events.md` explains each. */
export interface ToldEvent {
  readonly id?: string | undefined
  readonly userId?: string | undefined
  readonly actor?: ToldActor | undefined
  readonly software?: string | undefined
  readonly mayAct?:
    | { readonly sub?: string | undefined; readonly clientId?: string | undefined }
    | undefined
  readonly requestedBy?: string | undefined
  readonly client?: string | undefined
  readonly resource?: string | readonly string[] | undefined
  readonly scope?: string | undefined
  readonly context?: Readonly<Record<string, unknown>> | undefined
  /** In seconds since the epoch. */
  readonly expiresAt?: number | undefined
  readonly jti?: string | undefined
  readonly permit?: string | readonly string[] | undefined
  readonly review?: string | undefined
  readonly needs?: readonly Need[] | undefined
  readonly denial?:
    | {
        readonly stage: 'end' | 'exchange' | 'issue'
        readonly error: string
        readonly reason: string
      }
    | undefined
  readonly redemption?: { readonly at?: number | undefined; readonly jti: string } | undefined
  readonly end?:
    | {
        /** In seconds since the epoch. */
        readonly at: number
        readonly by?: { readonly sub: string } | undefined
        readonly cause: EndCause
        readonly reason?: string | undefined
      }
    | undefined
}

/** A request to an API in an impersonation, and its answer. */
export interface ToldUse {
  readonly useId: string
  readonly audience: string
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly status?: number | undefined
  readonly refused?:
    | {
        readonly by:
          | 'impersonation'
          | 'person'
          | 'replay'
          | 'requirement'
          | 'scope'
          | 'sender'
          | 'status'
        readonly error?: string | undefined
        readonly description: string
      }
    | undefined
}

/** A request that the guard of an API told: what `onImpersonatedRequest` gets. */
export interface ToldRequest extends ToldUse {
  /** In milliseconds since the epoch. */
  readonly timeMs: number
  /** The id of the impersonation. */
  readonly id?: string | undefined
  readonly userId: string
  readonly actor?: ToldActor | undefined
  readonly software?: string | undefined
  readonly client: string
}
