import type { TokenContext } from '../claims.ts'
import type { SessionEnd } from '../texts.ts'

/** An operator who acts as a user in this browser, and for an hour after the end that it is over. */
export interface Impersonation {
  /**
   * The access token of the user, bound to one resource. Keep it on the server. Empty once the
   * impersonation is over.
   */
  readonly accessToken: string
  /** The user: `sub` of the token. `undefined` where the token is opaque. */
  readonly userId: string | undefined
  /** The operator, by `sub` of the operator's ID token. */
  readonly actor: { readonly sub: string }
  /** `impersonation_context.ticket_id` of the token, where your provider adds it. */
  readonly ticket: string | undefined
  /** The scope of the token, as the provider granted it. */
  readonly scope: readonly string[]
  /** Milliseconds since the epoch, by the clock of this machine. */
  readonly expiresAtMs: number
  /** The claims of a JWT access token, with what `getCustomJwtClaims` added; `{}` where it is opaque. */
  readonly context: TokenContext
  /**
   * An end elsewhere is known when `fetch` was refused the token: a guard of your API knows of it within
   * 8 seconds. `current` asks nobody.
   */
  readonly state: 'active' | 'ended' | 'expired'
  /** How it ended; `undefined` where it has not, or where the provider did not tell. */
  readonly ending: SessionEnd | undefined
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
