import type {
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
