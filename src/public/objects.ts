import type { Context } from 'koa'
import type { Actor, MayAct, Need, SubjectTokenContext } from './hooks.ts'

/**
 * A request for a subject token, the body of `POST …/subject-tokens`. It is read as JSON holds it.
 */
export interface SubjectTokenRequest {
  /** The user to be impersonated, of 1 to 255 characters. */
  readonly userId: string
  /**
   * Stored with the token. It is a plain object of at most 4 KiB as JSON.
   * @defaultValue `{}`
   */
  readonly context?: SubjectTokenContext | undefined
  /** The party that may redeem it. */
  readonly mayAct?: MayAct | undefined
  /**
   * The resources it may be exchanged for. They are absolute URIs without fragment, at most 16.
   */
  readonly resource?: string | readonly string[] | undefined
  /** The maximum scope of its access token. */
  readonly scope?: string | undefined
  /** Seconds, at most the lifetime of subject tokens, which is the default. */
  readonly expiresIn?: number | undefined
}

/** The client and the context for which a subject token is issued in the process. */
export interface IssueOptions {
  /** The id of a client that `managementApi.clients.issue` names, and that authenticates. */
  readonly as: string
  /**
   * The current request. `authorize`, `findAccount` and listeners see it, so that `ctx.ip` is its
   * sender's. Its response stays as it is.
   * @defaultValue a context without a request
   */
  readonly ctx?: Context | undefined
  /**
   * The maximum lifetime of the access token, in seconds: a positive safe integer. It is stored
   * with the subject token, so that it holds at each process. The policy and the configuration can
   * shorten it, and never lengthen it.
   */
  readonly accessTokenTtl?: number | undefined
}

/** The client and the context for which the policy is previewed. */
export type PreviewOptions = Pick<IssueOptions, 'as' | 'ctx'>

/** A subject token, which is shown once. */
export interface IssuedSubjectToken {
  readonly subjectToken: string
  /** In seconds. */
  readonly expiresIn: number
  /** The id of the impersonation for `get(id)` and `end(id)`. It is no secret. */
  readonly id: string
}

/**
 * The verdict of the deployment's rule on a request now. It is no promise, because issue and
 * exchange call the rule again.
 */
export interface Preview {
  /** The value `'needs'` means that an approval is missing. */
  readonly verdict: 'allowed' | 'needs' | 'refused'
  /** The missing approvals, with `'needs'`. */
  readonly needs?: readonly Need[]
  /** Set with `'needs'` if the operator may act without them in an emergency. */
  readonly emergency?: true
  /** The limit of the rule in seconds, with `'allowed'`. */
  readonly accessTokenTtl?: number
  /** The ids of the permits that the rule names, with `'allowed'`. */
  readonly permit?: string | readonly string[]
}

/**
 * The state of an impersonation.
 *
 * - `issued`: its subject token can be redeemed
 * - `active`: its access token was issued and is valid
 * - `ended`: it was ended, whatever its state before
 * - `expired`: it expired by itself
 */
export type ImpersonationState = 'active' | 'ended' | 'expired' | 'issued'

/**
 * The cause of an end.
 *
 * - `requested`: the operator or a backend requested it
 * - `user`: the customer ended it
 * - `policy`: a rule of the deployment ended it. The provider itself uses it for an impersonation
 *   that was redeemed in vain or not recorded in time, with a `reason` that says so
 * - `operator_signed_out`: the operator's sign-in or grant is over
 * - `replay`: its subject token was presented again after its redemption
 */
export type EndCause = 'operator_signed_out' | 'policy' | 'replay' | 'requested' | 'user'

/** The end of an impersonation. */
export interface ImpersonationEnd {
  /** The time in seconds since the epoch. */
  readonly at: number
  /** The person who ended it, if known. */
  readonly by?: { readonly sub: string } | undefined
  readonly cause: EndCause
  /** The reason that the caller gave. */
  readonly reason?: string | undefined
}

/**
 * An impersonation, from the issue of its subject token to the last moment at which its access
 * token can be valid. A member without a known value is absent. Times are seconds since the epoch.
 */
export interface Impersonation {
  /** The id from first to last, the SHA-256 of the subject token's value, base64url. */
  readonly id: string
  readonly state: ImpersonationState
  /** The user. */
  readonly userId: string
  /** The operator who redeemed the subject token. */
  readonly actor?: Actor | undefined
  /** The operator and the client that the subject token is bound to. */
  readonly mayAct?: MayAct | undefined
  /** The client that requested the subject token. */
  readonly requestedBy: string
  /** The client that redeemed it. */
  readonly client?: string | undefined
  /**
   * The software that acts, for `actor` or on its own. It is the client again, if `softwareActors`
   * names it.
   */
  readonly software?: string | undefined
  /**
   * The resource of the access token. Before the exchange, it is the resources that the subject
   * token is bound to.
   */
  readonly resource?: string | readonly string[] | undefined
  /** The scope of the access token. Before the exchange, it is the maximum scope. */
  readonly scope?: string | undefined
  /** The `context` of the request for the subject token. */
  readonly context: SubjectTokenContext
  /** The permit that allowed it, or several, as `authorize` returned. */
  readonly permit?: string | readonly string[] | undefined
  /** The reason why a person has to review it afterwards, as `authorize` returned. */
  readonly review?: string | undefined
  /** The time of issue of the subject token. */
  readonly issuedAt: number
  /** The last moment at which the subject token can be redeemed. */
  readonly redeemableUntil: number
  /** The time of the redemption. */
  readonly startedAt?: number | undefined
  /** The expiry of the access token. */
  readonly expiresAt?: number | undefined
  readonly end?: ImpersonationEnd | undefined
  /** The place of its access token's status: draft-ietf-oauth-status-list-21, section 6.2. */
  readonly status?: { readonly idx: number; readonly uri: string } | undefined
}

/** A filter of impersonations. Several members are joined by *and*. */
export interface ImpersonationFilter {
  /** The user. */
  readonly userId?: string | undefined
  /** The account id of the operator who redeemed the subject token, or to whom it is bound. */
  readonly actor?: string | undefined
  /** The client that requested the subject token. */
  readonly requestedBy?: string | undefined
  /**
   * The client that redeemed the subject token, or to which it is bound before. No adapter indexes
   * it, so all impersonations that match the rest are read, page by page.
   */
  readonly client?: string | undefined
  /**
   * A permit that allowed it, alone or with others, at issue or at the exchange. As with `client`,
   * no adapter indexes it.
   */
  readonly permit?: string | undefined
}

/** A query for impersonations. */
export interface ImpersonationQuery extends ImpersonationFilter {
  readonly state?: ImpersonationState | undefined
  /**
   * The maximum number of items, 1 to 100.
   * @defaultValue `25`
   */
  readonly limit?: number | undefined
  /** `next` of the page before, used with the same filter and state. */
  readonly cursor?: string | undefined
}

/** A page of impersonations, the newest first. */
export interface ImpersonationPage {
  readonly items: readonly Impersonation[]
  /**
   * The `cursor` of the next page; absent on the last one. With `state`, a page may have fewer
   * items than the limit, or none, although there is a next page.
   */
  readonly next?: string | undefined
}

/** Options of an end. */
export interface EndOptions {
  /** The person who ends it, of 1 to 255 characters. */
  readonly by?: { readonly sub: string } | undefined
  /**
   * The cause.
   * @defaultValue `'requested'`
   */
  readonly cause?: EndCause | undefined
  /** The reason to store with it, of 1 to 1024 characters. */
  readonly reason?: string | undefined
}

/**
 * One requirement of a deployment in production, as a line of the list that `check()` resolves.
 */
export interface ChecklistItem {
  /** The topic, a row of the table in docs/production.md. */
  readonly id:
    | 'account_ids'
    | 'actor_client'
    | 'actor_token'
    | 'binding'
    | 'clients'
    | 'dpop'
    | 'ending'
    | 'errors'
    | 'events'
    | 'issuer'
    | 'keys'
    | 'lifetime'
    | 'policy'
    | 'resources'
    | 'single_use'
  /** `true` if this deployment has it, as far as the provider can check. */
  readonly ok: boolean
  /**
   * One sentence with the step to take and its purpose. It is for people, and its words may
   * change.
   */
  readonly message: string
}
