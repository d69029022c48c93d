import type { Actor } from '../act.ts'

/** The reason why the guard refused a request of an impersonation. */
export interface UseRefusal {
  /**
   * The check that refused it.
   *
   * - `'scope'`: `requireScope()`
   * - `'impersonation'`: `denyImpersonation()`
   * - `'person'`: `requirePerson()`
   * - `'requirement'`: another requirement
   * - `'status'`: the impersonation has ended, or its status is unknown
   * - `'sender'`: the token is bound to a key or a certificate that the request does not prove, so
   *   it may be stolen
   * - `'replay'`: the DPoP proof was used before
   */
  readonly by: 'impersonation' | 'person' | 'replay' | 'requirement' | 'scope' | 'sender' | 'status'
  /**
   * The `error` that the client got; absent if the check itself failed, for example because a
   * status list could not be fetched.
   */
  readonly error?: string | undefined
  /** The description that the client got. If the check itself failed, it says so. */
  readonly description: string
}

/**
 * One request in an impersonation. It is frozen, plain, and JSON can hold it. A member without a
 * known value is absent.
 */
export interface ImpersonationUse {
  /** A random UUID of this object. A receiver recognises a copy with it. */
  readonly useId: string
  /** The time of the request, in milliseconds since the epoch, as in the provider's events. */
  readonly timeMs: number
  /**
   * The id of the impersonation, as in the provider's events; absent if the `jti` of the token
   * does not begin with `impersonation:`.
   */
  readonly id?: string | undefined
  /** The user as whom the operator acts. */
  readonly userId: string
  /** The operator; absent if the token names none. */
  readonly actor?: Actor | undefined
  /** The client id of the software that acts, for `actor` or on its own. */
  readonly software?: string | undefined
  /** The client that the token was issued to. */
  readonly client: string
  /** The API: the `audience` of its guard. */
  readonly audience: string
  /** Absent if the guard got the `Authorization` header alone. */
  readonly method?: string | undefined
  /**
   * The path that the client requested, percent-encoded as it came, before any mount took a part
   * away. It has no query, because a query can hold personal data, search words and secrets. If a
   * path holds personal data, it stands here, too. Absent if the guard got the `Authorization`
   * header alone.
   */
  readonly path?: string | undefined
  /**
   * The status of the response; absent if the client went away before it, or the guard does not
   * have the response. Your API may still have done what the client asked for.
   */
  readonly status?: number | undefined
  /** Absent if the guard let the request pass. `status` shows the outcome then. */
  readonly refused?: UseRefusal | undefined
}

/**
 * Receives a request that was made in an impersonation. The guard ignores the returned value. If
 * it is a promise that rejects, the guard emits a process warning.
 */
export type OnImpersonatedRequest = (use: ImpersonationUse) => unknown
