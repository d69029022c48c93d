import type { Context } from 'koa'
import type { Actor, MayAct, Need, SubjectTokenContext } from './hooks.ts'

/** A request for a subject token: the body of `POST …/subject-tokens`. It is read as JSON has it. */
export interface SubjectTokenRequest {
  /** The user to be impersonated: 1 to 255 characters. */
  readonly userId: string
  /**
   * Kept with the token: a plain object, at most 4 KiB as JSON.
   * @defaultValue `{}`
   */
  readonly context?: SubjectTokenContext | undefined
  /** Who may redeem it. */
  readonly mayAct?: MayAct | undefined
  /** The resources it may be exchanged for: absolute URIs without fragment, at most 16. */
  readonly resource?: string | readonly string[] | undefined
  /** The maximum scope of its access token. */
  readonly scope?: string | undefined
  /** Seconds, at most the lifetime of subject tokens, which is the default. */
  readonly expiresIn?: number | undefined
}

/** For whom a subject token is issued in the process. */
export interface IssueOptions {
  /** The id of a client that `managementApi.clients.issue` names, and that authenticates. */
  readonly as: string
  /**
   * The request that is answered: `authorize`, `findAccount` and listeners see it, so that `ctx.ip` is
   * its sender's. Its response stays as it is.
   * @defaultValue a context without a request
   */
  readonly ctx?: Context | undefined
  /**
   * How long the access token lives at most, in seconds: a positive safe integer. It is kept with the subject
   * token, so that it holds at each process. The policy and the configuration can shorten it, and never
   * lengthen it.
   */
  readonly accessTokenTtl?: number | undefined
}

/** For whom the policy is asked beforehand. */
export type PreviewOptions = Pick<IssueOptions, 'as' | 'ctx'>

/** A subject token, which is shown once. */
export interface IssuedSubjectToken {
  readonly subjectToken: string
  /** Seconds. */
  readonly expiresIn: number
  /** The id of the impersonation: for `get(id)` and `end(id)`. It is no secret. */
  readonly id: string
}

/** What the deployment's rule says of a request now. It is no promise: issue and exchange ask again. */
export interface Preview {
  /** `'needs'`: an approval is missing. */
  readonly verdict: 'allowed' | 'needs' | 'refused'
  /** With `'needs'`: whose approval. */
  readonly needs?: readonly Need[]
  /** With `'needs'`: the operator may act without them in an emergency. */
  readonly emergency?: true
  /** With `'allowed'`: the limit of the rule, in seconds. */
  readonly accessTokenTtl?: number
  /** With `'allowed'`: the ids of the permits that the rule names. */
  readonly permit?: string | readonly string[]
}

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
export interface Impersonation {
  /** One id from first to last: the SHA-256 of the subject token's value, base64url. */
  readonly id: string
  readonly state: ImpersonationState
  /** The user. */
  readonly userId: string
  /** The operator who redeemed the subject token. */
  readonly actor?: Actor | undefined
  /** The operator and the client that the subject token is bound to. */
  readonly mayAct?: MayAct | undefined
  /** The client that asked for the subject token. */
  readonly requestedBy: string
  /** The client that redeemed it. */
  readonly client?: string | undefined
  /** The software that acts, for `actor` or on its own: the client again, as `softwareActors` names it. */
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
  readonly requestedBy?: string | undefined
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
  readonly items: readonly Impersonation[]
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

/** One thing that a deployment in production has: a line of the list that `check()` resolves. */
export interface ChecklistItem {
  /** What it is about: a row of the table in docs/production.md. */
  readonly id:
    | 'account_ids'
    | 'actor_client'
    | 'actor_token'
    | 'binding'
    | 'clients'
    | 'discovery'
    | 'dpop'
    | 'ending'
    | 'errors'
    | 'events'
    | 'issuer'
    | 'keys'
    | 'lifetime'
    | 'management_api'
    | 'namesakes'
    | 'policy'
    | 'resources'
    | 'single_use'
    | 'status_lists'
    | 'token_format'
  /**
   * Whether this deployment has it, as far as the provider can tell. `undefined`: the provider could not
   * look yet, because nothing answers at its address.
   */
  readonly ok: boolean | undefined
  /** In one sentence: what to do, and where that is not done, for what. For people: the words may change. */
  readonly message: string
}
