import type { Need } from 'oidc-provider-impersonation'
import type {
  AuditPerson,
  AuditRecord,
  RecordStateAt,
  SaidEvent,
  SaidWord,
  Unapproved,
} from 'oidc-provider-impersonation-verify/format'

/** A record as a person is shown it. All times are in milliseconds since the epoch. */
export interface RecordAnswer
  extends Omit<AuditRecord, 'deliveries' | 'lastAt' | 'state' | 'version'>,
    Unapproved {
  /** As of now. */
  readonly state: RecordStateAt
  /** The name of the application, if the console knows it. */
  readonly applicationName?: string | undefined
  /** The page of the ticket, if the deployment knows it. */
  readonly ticketUrl?: string | undefined
  /** `true` if the scope changes data. `undefined` if the console does not know the scope. */
  readonly canChange?: boolean | undefined
  /** `true` if the caller is its operator. */
  readonly isMine: boolean
  /** The events that the caller may say now. */
  readonly may: readonly SaidEvent[]
  /** Earlier refusals to the same operator, for a person who decides. */
  readonly declinedBefore?: readonly DeclinedBefore[] | undefined
}

export interface DeclinedBefore extends Pick<SaidWord, 'at' | 'by' | 'note'> {
  readonly id: string
  readonly ticket?: string | undefined
}

/** The ways of an operator to an approval that is missing: also as `approval` of 403 `approval_required`. */
export interface Approval {
  readonly by: readonly Need[]
  /** `true` if `POST /permits/emergency` is possible: not if the same ticket was refused. */
  readonly emergency?: true | undefined
  /** `true` if it would be, once the caller's last emergency is reviewed. */
  readonly isReviewDue?: true | undefined
  /** If a second person is needed. */
  readonly deciders?: Deciders | undefined
  /** The customer who refused, and the end of that. In milliseconds since the epoch. */
  readonly refused?: { readonly by: AuditPerson; readonly until: number } | undefined
  /** The request of the caller, if it can still be decided. */
  readonly record?: RecordAnswer | undefined
}

/** The people who can decide: some by name, and how many others there are. Leads are not named. */
export interface Deciders {
  readonly names: readonly string[]
  readonly others: number
  readonly isLeads: boolean
}
