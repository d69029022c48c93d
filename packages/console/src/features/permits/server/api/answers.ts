import type { Need } from 'oidc-provider-impersonation'
import type { AuditPerson, SaidEvent, Unapproved } from 'oidc-provider-impersonation-verify/format'
import type { Permit } from '../../../../records/record-at.ts'
import type { ActBody, RowAnswer } from '../../../../web/answers.ts'
import type { Range } from '../../../../web/when.ts'
import type { Standing, StandingAnswer } from '../options.ts'

// Permits of the console, and of the account page. They are there where the console has `permits`. Problems are as in the other
// answers; 409 has the permit that stands in the way as `permit`.

/** A permit as a person of the console is shown it. */
export interface PermitAnswer extends Permit {
  /** The name of the application, where the console knows it. */
  readonly applicationName?: string
  /** The page of the ticket, where the deployment knows it. */
  readonly ticketUrl?: string
  /** Whether the scope changes data; `undefined` where the console does not know the scope. */
  readonly canChange?: boolean
  /** Whether the caller asked for it. */
  readonly isMine: boolean
  /** What the caller may say now. `revoked` is also how who asked withdraws a request. */
  readonly may: readonly SaidEvent[]
  /** What was refused to the same operator before, and still holds: where the caller decides or reviews. */
  readonly refusals?: readonly RefusalAnswer[]
}

/**
 * `GET /approvals/history?text=&state=&operator=&customer=&person=&ticket=&from=&to=&before=`: every role. An
 * operator is shown what they asked for, and what they decided; leads and auditors all. Newest first. `person` asked,
 * decided, took back or reviewed. `state` is one of `HISTORY_STATES`. There may be a `next` where none of those
 * that were looked at matched.
 * `GET /approvals/history.csv` with the same filter: lead, auditor. Streamed; one line for
 * each. The export is an entry itself.
 */
export interface HistoryAnswer {
  /** The parameters of the filter, as they were given. */
  readonly asked: HistoryQuestion
  /** The part of time. */
  readonly filter: Range
  readonly permits: readonly PastPermitAnswer[]
  /** The value of `before` for the next, older page. */
  readonly next?: string
}

export type HistoryQuestion = Readonly<Record<string, string>>

/** A request or an emergency, also one that is over. */
export type PastPermitAnswer = Omit<PermitAnswer, 'may' | 'refusals'>

/** A refusal that still holds. */
export interface RefusalAnswer {
  readonly id: string
  readonly by: AuditPerson
  readonly at: number
  readonly ticket?: string | undefined
  readonly note?: string | undefined
}

/** Who can decide now. */
export interface DecidersAnswer {
  /** At most 3 names; empty where leads decide, or there is no one. */
  readonly names: readonly string[]
  /** How many there are beside these. */
  readonly others: number
  /** Whether leads decide: there is no list of names. */
  readonly isLeads: boolean
}

/** A part of the first page: what the caller asked for, and what waits for them. Newest first, about 100 of each. */
export interface PermitsAnswer {
  /** Emergencies that the caller has to look at. */
  readonly toReview: readonly PermitAnswer[]
  /** What the caller can decide, what they asked for and is open, and what a lead can take back. */
  readonly permits: readonly PermitAnswer[]
}

/** `GET /approvals/:id`: 404 for what the caller is not shown. One of `permit` and `answer` is there. */
export interface PermitPageAnswer {
  readonly permit?: PermitAnswer
  /** What the customer answered for all requests: leads and auditors, and operators who acted by it. */
  readonly answer?: StandingAnswer
  /** While it can be decided by a second person. */
  readonly deciders?: DecidersAnswer
  /** What ran or runs under it, newest first, at most 100: of those that the caller may see. */
  readonly impersonations: readonly RowAnswer[]
}

/**
 * 403 of `POST /impersonations` and of `continue` where an approval is missing: beside `error`
 * `approval_required`.
 */
export interface ApprovalAnswer {
  readonly approval: {
    readonly by: readonly Need[]
    /** Whether `POST /permits/emergency` is possible: not where the same ticket was refused. */
    readonly emergency?: true
    /** Whether it would be, once the caller's last emergency is reviewed. */
    readonly isReviewDue?: true
    /** Where a second person is needed. */
    readonly deciders?: DecidersAnswer
    /** Who refused it, and until when it cannot be asked again. In milliseconds since the epoch. */
    readonly refused?: { readonly by: AuditPerson; readonly until: number }
    /** What the caller has asked for already, and can still be decided. */
    readonly permit?: PermitAnswer
  }
}

/**
 * `POST /permits` with {@link ActBody}: operator, lead. The rule says which approvals it needs. 201
 * {@link PermitCreated}. 403 `access_denied` where the rule refuses, 409 `not_needed` where it needs no
 * approval, `already_requested`, `refused_lately` (with `Retry-After`) or `no_approver`. 429
 * `temporarily_unavailable` with `Retry-After` after 60 requests in an hour, whatever became of them.
 * `POST /permits/emergency` with the same: 201
 * {@link PermitCreated}, and the operator acts by `POST /impersonations` then. 403 `access_denied` where
 * the rule allows no emergency, 409 `not_needed`, `review_due` or `no_approver`.
 */
export interface PermitCreated {
  readonly permit: PermitAnswer
  readonly deciders?: DecidersAnswer
}

// `POST /permits/:id/grant`, `/refuse`, `/revoke` and `/review` with `{ note?: string }`: every role; 200
//   {@link PermitAnswer}. A review needs a note. 403 `access_denied`, 409 `decided`, 503
//   `temporarily_unavailable`: then the storage does not say whether it is stored.

/** Of the account page: `permits`. */
export interface AccountPermitsAnswer {
  /** Those that wait for the caller's answer, newest first. */
  readonly asked: readonly AccountPermit[]
  /** Those in their window: the caller can take them back. */
  readonly granted: readonly AccountPermit[]
  /** What the caller refused, and still holds: for a day. */
  readonly refused: readonly AccountRefusal[]
  /** Where the deployment offers it. */
  readonly standing?: Standing
}

/** A permit as the customer is shown it: without the reason that the operator gave. */
export interface AccountPermit {
  readonly id: string
  readonly operator: AuditPerson
  /** The name of the application, or its client id. */
  readonly application: string
  readonly ticket?: string
  readonly canChange?: boolean
  /** An emergency, which nobody approved; or one after a request of the same operator was refused. */
  readonly unapproved?: Unapproved
  readonly requestedAt: number
  /** Length of the window, in seconds. */
  readonly for: number
  readonly until?: number
  readonly lapsesAt?: number
}

/** A request that the customer refused. */
export interface AccountRefusal extends AccountPermit {
  readonly refusedAt: number
}

// `POST /permits/grant`, `/permits/refuse` and `/permits/revoke` of the account page with `{ id }`: 204. 404
//   for what is not about the caller.
// `POST /permits/standing` with `{ choice }`: 200 {@link Standing}. `ask`
//   ends what would not start any more.
