import type { Actor } from '../act.ts'

/** Why the guard did not let a request of an impersonation pass. */
export interface UseRefusal {
  /**
   * What refused it. `'scope'`: `requireScope()`. `'impersonation'`: `denyImpersonation()`.
   * `'person'`: `requirePerson()`.
   * `'requirement'`: another requirement. `'status'`: the impersonation has ended, or its status is
   * not known. `'sender'`: the token is bound to a key or a certificate that the request does not
   * prove, so it may be stolen. `'replay'`: the DPoP proof was used before.
   */
  readonly by: 'impersonation' | 'person' | 'replay' | 'requirement' | 'scope' | 'sender' | 'status'
  /**
   * The `error` that the client got; absent where the check itself failed, such as a status list
   * that cannot be had.
   */
  readonly error?: string | undefined
  /** The description that the client got; where the check itself failed, that it did. */
  readonly description: string
}

/**
 * One request that was made in an impersonation: who did what. It is frozen, plain, and JSON can hold
 * it. A member that is not known is absent.
 */
export interface ImpersonationUse {
  /** A random UUID of this object: by it, a receiver knows a copy. */
  readonly useId: string
  /** When the guard got the request, in milliseconds since the epoch, as in the provider's events. */
  readonly timeMs: number
  /**
   * The id of the impersonation, as in the provider's events; absent where the `jti` of the token
   * does not begin with `impersonation:`.
   */
  readonly id?: string | undefined
  /** The user as whom the operator acts. */
  readonly userId: string
  /** Who acts, with the prior actors; absent where the token names no operator. */
  readonly actor?: Actor | undefined
  /** The software that acts, for `actor` or on its own: its client id. */
  readonly software?: string | undefined
  /** The client that the token was issued to. */
  readonly client: string
  /** The API: the `audience` of its guard. */
  readonly audience: string
  /** Absent where the guard was given the `Authorization` header alone. */
  readonly method?: string | undefined
  /**
   * The path that the client asked for, percent-encoded as it came, before any mount took a part
   * away. It has no query, because a query can hold personal data, search words and secrets. A path that
   * holds personal data has it here, too. Absent where the guard was given the `Authorization` header alone.
   */
  readonly path?: string | undefined
  /**
   * The status of the answer; absent where the client went away before it, or the guard does not know
   * the response. Your API may still have done what was asked.
   */
  readonly status?: number | undefined
  /** Absent where the guard let the request pass; `status` shows what came of it then. */
  readonly refused?: UseRefusal | undefined
}

/**
 * Is notified of a request that was made in an impersonation. What it answers is ignored; a promise is
 * watched: a rejection is a process warning.
 */
export type OnImpersonatedRequest = (use: ImpersonationUse) => unknown
