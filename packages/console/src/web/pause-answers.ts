import type { AuditPerson, StopRecord } from 'oidc-provider-impersonation-verify/format'

/**
 * An operator who may not start: as the customer who objected, or as any. All times are in milliseconds since
 * the epoch. What is not known is absent.
 */
export interface Pause extends Omit<StopRecord, 'deliveries' | 'lastAt' | 'version'> {}

// Operators who may not start, in the console and on the account page. Problems are as in the other answers.
//
// A request to act, to continue, for a permit or in an emergency is 403 `paused` with `pause` (a
// {@link PauseAnswer}) while the caller is paused for the customer. So is an approval, without `pause`.

/** A pause as a person of the console is shown it. The operator is not shown notes. */
export interface PauseAnswer extends Pause {
  /** `true` if it keeps the caller from starting. */
  readonly isMine: boolean
  /** `true` if the caller may lift it. */
  readonly canResume: boolean
}

/** An operator who may not act as the caller, who objected. For the account page. */
export interface AccountPause {
  readonly id: string
  /** Without the e-mail address. */
  readonly operator: Pick<AuditPerson, 'id' | 'name'>
  readonly at: number
}

/**
 * `POST /objection` with `{ id, note? }`: *I did not ask for this*. 404 `not_found` if it is not one of the caller, or
 * was refused. 409 `already_objected`. 429 `temporarily_unavailable` with `Retry-After`. 503 if the operator could not
 * be paused: the caller can say it again.
 */
export interface ObjectionAnswer {
  /**
   * `true` if the operator may not act as the caller now, until another person lifts the pause. `false` if it
   * began more than 30 days ago, or software acted on its own.
   */
  readonly isPaused: boolean
  /** `true` if all that ends by it has ended: all of the operator for the caller, if paused. */
  readonly isEnded: boolean
}
