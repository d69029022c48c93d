import type { ImpersonationFacts } from './facts.ts'

/** The events of an {@link ImpersonationSession}. None of them has a detail. */
export interface ImpersonationSessionEvents {
  /** The last minute has begun. */
  expiring: Event
  /** The access token is no longer valid. */
  expired: Event
  /**
   * The impersonation was ended by `end()`, or elsewhere: by the customer, a lead, a replay, a
   * sign-out. While the page is visible, the event comes within 8 seconds.
   *
   * Every 5 seconds, the page reads the status list of the token. If its bit is set, the page asks
   * the provider. If the token has no status, or if the list cannot be read, the page asks the
   * provider every 5 seconds. It also asks at the beginning, when the page is shown or gets the
   * focus, when the machine is online again, and after a 401 of `session.fetch`. Only
   * `state: ended` and 401 `invalid_token` are ends. No response, 403, 429, 500 and a refused
   * proof end nothing.
   */
  ended: Event
}

/** An operator who acts as a user in this page, until it expires or is ended. */
export interface ImpersonationSession extends ImpersonationFacts {
  /**
   * The access token of the user, bound to one resource. It is in the memory of this page alone.
   * Empty once the session is over.
   */
  readonly accessToken: string
  /** `DPoP` if the token is bound to a key of this page. */
  readonly tokenType: 'Bearer' | 'DPoP'
  /** The state of the session. */
  readonly state: 'active' | 'ended' | 'expired'
  /**
   * `true` if a person reviews the impersonation afterwards, as the provider's rule decided, for
   * example after an emergency. The provider is asked once the session has begun, so it is `false`
   * for a moment. It stays `false` if the provider does not report it.
   */
  readonly isToBeReviewed: boolean

  /**
   * Sends a request with the access token, and with a proof of the key if the token is bound to
   * one. It takes and returns the same as the browser's own `fetch`, but sends no cookies and no
   * referrer, follows no redirect, and caches nothing. A response 401 with `invalid_token`, or
   * without a challenge that the page can read, ends the session. A response can arrive after the
   * end, so check `state` before you show it.
   *
   * @throws TypeError if the address is of an origin that the token is not for
   * @throws ImpersonationError `expired` or `ended` if the session is over
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>

  /**
   * Ends the impersonation at the provider's `impersonation_end_endpoint`. If it has ended
   * already, this does nothing. If the provider has no such endpoint, the page drops the token,
   * which is valid until it expires.
   *
   * @throws ImpersonationError `unreachable` if the provider cannot be reached. The session is
   * then still active.
   */
  end(): Promise<void>

  addEventListener<E extends keyof ImpersonationSessionEvents>(
    type: E,
    listener: (event: ImpersonationSessionEvents[E]) => void,
    options?: AddEventListenerOptions,
  ): void
  removeEventListener<E extends keyof ImpersonationSessionEvents>(
    type: E,
    listener: (event: ImpersonationSessionEvents[E]) => void,
  ): void
}
