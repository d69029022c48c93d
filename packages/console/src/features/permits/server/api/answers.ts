import type { Need } from 'oidc-provider-impersonation'
import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import type { RecordAnswer } from '../../../../web/record-answer.ts'

// Problems are as in the other answers. 409 has the permit that stands in the way as `permit`.

/** Who can decide now. */
export interface DecidersAnswer {
  /** At most 3 names; empty if leads decide, or there is no one. */
  readonly names: readonly string[]
  /** How many there are beside these. */
  readonly others: number
  /** Whether leads decide: there is no list of names. */
  readonly isLeads: boolean
}

/**
 * 403 of `POST /impersonations` and of `continue` if an approval is missing: beside `error`
 * `approval_required`.
 */
export interface ApprovalAnswer {
  readonly approval: {
    readonly by: readonly Need[]
    /** Whether `POST /permits/emergency` is possible: not if the same ticket was refused. */
    readonly emergency?: true
    /** Whether it would be, once the caller's last emergency is reviewed. */
    readonly isReviewDue?: true
    /** If a second person is needed. */
    readonly deciders?: DecidersAnswer
    /** Who refused it, and until when it cannot be asked again. In milliseconds since the epoch. */
    readonly refused?: { readonly by: AuditPerson; readonly until: number }
    /** What the caller has asked for already, and can still be decided. */
    readonly record?: RecordAnswer
  }
}

/**
 * `POST /permits` with `ActBody`: operator, lead. The rule says which approvals it needs. 403
 * `access_denied` if the rule refuses, 409 `not_needed`, `already_requested`, `refused_lately` (with
 * `Retry-After`) or `no_approver`. 429 `temporarily_unavailable` with `Retry-After` after 60 requests in an
 * hour, whatever became of them.
 * `POST /permits/emergency` with the same: the operator acts by `POST /impersonations` then. 403
 * `access_denied` if the rule allows no emergency, 409 `not_needed`, `review_due` or `no_approver`.
 */
export interface RecordCreated {
  readonly record: RecordAnswer
  readonly deciders?: DecidersAnswer
}
