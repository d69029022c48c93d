import type { ImpersonationFacts } from '../facts.ts'

/** An operator who acts as a user in this browser, and for an hour after the end that it is over. */
export interface Impersonation extends ImpersonationFacts {
  /**
   * The access token of the user, bound to one resource. Keep it on the server. Empty once the
   * impersonation is over.
   */
  readonly accessToken: string
  /** `impersonation_context.ticket_id` of the token, where your provider adds it. */
  readonly ticket: string | undefined
  /**
   * An end elsewhere is known when `fetch` was refused the token: a guard of your API knows of it within
   * 8 seconds. `current` asks nobody.
   */
  readonly state: 'active' | 'ended' | 'expired'
  /** Whether a person looks at it afterwards, as in an emergency. */
  readonly isToBeReviewed: boolean
  /** The path to which the form of the banner is posted. */
  readonly endPath: string
  /**
   * Sends a request with the access token, follows no redirect, and caches nothing. After an answer
   * 401 that refuses the token, the impersonation has ended.
   *
   * @throws TypeError where the address is of an origin that the token is not for
   * @throws Error where the impersonation is over
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
}
