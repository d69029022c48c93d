import type { MayAct } from './binding.ts'
import type { ActClaim, SubjectTokenContext } from './claims-hook.ts'

/**
 * Where an impersonation stands. `issued`: its subject token can be redeemed. `active`: its access
 * token was issued and lives. `ended`: by an end, whatever was before. `expired`: by itself.
 */
export type ImpersonationState = 'active' | 'ended' | 'expired' | 'issued'

/**
 * Why it ended. `requested`: the operator or a backend asked. `user`: the customer did. `policy`: a
 * rule of the deployment; or the provider itself, of what was redeemed for nothing or not recorded in
 * time, with a `reason` that says so. `operator_signed_out`: the operator's sign-in or grant is over. `replay`:
 * its subject token was presented again after it had been redeemed.
 */
export type EndCause = 'operator_signed_out' | 'policy' | 'replay' | 'requested' | 'user'

/** How an impersonation ended. */
export interface ImpersonationEnd {
  /** When, in seconds since the epoch. */
  readonly at: number
  /** Who ended it, where that is known. */
  readonly by?: { readonly sub: string } | undefined
  readonly cause: EndCause
  /** What the caller wrote about it. */
  readonly reason?: string | undefined
}

/**
 * An impersonation, from the issue of its subject token to the last moment at which its access
 * token can be valid. What is not known is absent; times are seconds since the epoch.
 */
export interface ImpersonationObject {
  /** One id from first to last: the SHA-256 of the subject token's value, base64url. */
  readonly id: string
  readonly state: ImpersonationState
  /** The user. */
  readonly userId: string
  /** The operator who redeemed the subject token, with the prior actors of the chain. */
  readonly actor?: ActClaim | undefined
  /** The operator and the client that the subject token is bound to. */
  readonly mayAct?: MayAct | undefined
  /** The client that asked for the subject token. */
  readonly issuedTo: string
  /** The client that redeemed it. */
  readonly client?: string | undefined
  /** The software that acts, for `actor` or on its own: the client again, as `actorToken.clients` names it. */
  readonly software?: string | undefined
  /** The resource of the access token; before, those that the subject token is bound to. */
  readonly resource?: string | readonly string[] | undefined
  /** The scope of the access token; before, the most that it can have. */
  readonly scope?: string | undefined
  /** The `context` of the request for the subject token. */
  readonly context: SubjectTokenContext
  /** The permit that allowed it, or several, as `authorize` said. */
  readonly permit?: string | readonly string[] | undefined
  /** Why a person has to look at it afterwards, as `authorize` said. */
  readonly review?: string | undefined
  /** When the subject token was issued. */
  readonly issuedAt: number
  /** The last moment at which the subject token can be redeemed. */
  readonly redeemableUntil: number
  /** When it was redeemed. */
  readonly startedAt?: number | undefined
  /** When the access token expires. */
  readonly expiresAt?: number | undefined
  readonly end?: ImpersonationEnd | undefined
  /** Where its access token's status is found: draft-ietf-oauth-status-list-21, section 6.2. */
  readonly status?: { readonly idx: number; readonly uri: string } | undefined
}

/** Which impersonations are meant. Several members are joined by *and*. */
export interface ImpersonationFilter {
  /** The user. */
  readonly userId?: string | undefined
  /** The account id of the operator who redeemed the subject token, or whom it is bound to. */
  readonly actor?: string | undefined
  /** The client that asked for the subject token. */
  readonly issuedTo?: string | undefined
  /**
   * The client that redeemed the subject token, or that it is bound to before. No storage looks up by
   * it: all that match the rest are read, page by page.
   */
  readonly client?: string | undefined
  /** A permit that allowed it, alone or with others, at issue or at the exchange. No storage looks up by it, as by `client`. */
  readonly permit?: string | undefined
}

/** A question for impersonations. */
export interface ImpersonationQuery extends ImpersonationFilter {
  readonly state?: ImpersonationState | undefined
  /**
   * How many, at most: 1 to 100.
   * @defaultValue `25`
   */
  readonly limit?: number | undefined
  /** `next` of the page before, asked for with the same filter and state. */
  readonly cursor?: string | undefined
}

/** A page of impersonations, the newest first. */
export interface ImpersonationPage {
  readonly items: readonly ImpersonationObject[]
  /**
   * The `cursor` of the next page; absent on the last one. With `state`, a page may have fewer items
   * than the limit, or none, and a next one all the same.
   */
  readonly next?: string | undefined
}

/** How to end. */
export interface EndOptions {
  /** Who ends it: 1 to 255 characters. */
  readonly by?: { readonly sub: string } | undefined
  /**
   * Why.
   * @defaultValue `'requested'`
   */
  readonly cause?: EndCause | undefined
  /** What is to be kept about it: 1 to 1024 characters. */
  readonly reason?: string | undefined
}
