import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import type { Pause } from '../../permits/permit.ts'

// Operators who may not start, in the API of the console, below `{path}/api`, and of the account page,
// below `{account.path}/api`. Problems are as in the other answers.
//
// A request to act, to continue, for a permit or in an emergency is 403 `paused` with `pause` (a
// {@link PauseAnswer}) while the caller is paused for the customer. So is an approval, without `pause`.

/** A pause as a person of the console is shown it. The operator is not shown notes. */
export interface PauseAnswer extends Pause {
  /** Whether it keeps the caller from starting. */
  readonly isMine: boolean
  /** Whether the caller may lift it. */
  readonly canResume: boolean
}

/**
 * `GET /pauses?before=`: every role. Those that hold, newest first. An operator is shown their own, and
 * those that they may lift; leads and auditors all.
 */
export interface PausesAnswer {
  readonly pauses: readonly PauseAnswer[]
  /** The value of `before` for the next, older page. */
  readonly next?: string
  /** By the clock of the server. */
  readonly now: number
}

// `GET /pauses/:id`: 200 {@link PauseAnswer}, also once it is lifted. 404 for what the caller is not shown.

/**
 * The body of `POST /pauses/:id/resume`: every role; 200 {@link PauseAnswer}. 403 `access_denied` for the
 * operator, and who may not lift it. 409 `decided`, where it is lifted already.
 */
export interface ResumeBody {
  /** 1 to 1000 characters. */
  readonly note: string
}

/** `GET /pauses` of the account page: who may not act as the caller, since the caller objected. */
export interface AccountPausesAnswer {
  /** Newest first. */
  readonly pauses: readonly AccountPause[]
}

export interface AccountPause {
  readonly id: string
  /** Without the e-mail address. */
  readonly operator: Pick<AuditPerson, 'id' | 'name'>
  readonly at: number
}
