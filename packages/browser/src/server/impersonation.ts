import type { ImpersonationFacts } from '../facts.ts'

/**
 * An operator who acts as a user in this browser. For an hour after the end, it states that it is
 * over.
 */
export interface Impersonation extends ImpersonationFacts {
  /**
   * The access token of the user, bound to one resource. Keep it on the server. Empty once the
   * impersonation is over.
   */
  readonly accessToken: string
  /** `impersonation_context.ticket_id` of the token, if your provider adds it. */
  readonly ticket: string | undefined
  /**
   * The state. An end elsewhere shows after `fetch` was refused the token. A guard of your API
   * refuses it within 8 seconds. `current` makes no request.
   */
  readonly state: 'active' | 'ended' | 'expired'
  /** `true` if a person reviews it afterwards, as in an emergency. */
  readonly isToBeReviewed: boolean
  /** The path to which the form of the banner is posted. */
  readonly endPath: string
  /**
   * Sends a request with the access token, follows no redirect, and caches nothing. After a
   * response 401 that refuses the token, the impersonation has ended.
   *
   * @throws TypeError if the address is of an origin that the token is not for
   * @throws Error if the impersonation is over
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
}
