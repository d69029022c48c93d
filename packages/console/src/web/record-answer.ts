import type { Need } from 'oidc-provider-impersonation'
import type { AuditPerson, Unapproved } from 'oidc-provider-impersonation-verify/format'

export const SAID_EVENTS = [
  ...(['granted', 'declined', 'revoked', 'reviewed', 'lifted', 'confirmed'] as const),
] as const

export type SaidEvent = (typeof SAID_EVENTS)[number]

export const RECORD_KINDS = ['approval', 'emergency', 'answer', 'stop', 'erasure'] as const

export type RecordKind = (typeof RECORD_KINDS)[number]

export interface Said {
  readonly event: SaidEvent
  readonly by?: AuditPerson | undefined
  readonly at: number
  readonly need?: Need | undefined
  readonly note?: string | undefined
}

export interface AuditRecord {
  readonly id: string
  readonly kind: RecordKind
  readonly state:
    | ('allow' | 'ask' | 'asked' | 'confirmed' | 'declined' | 'granted' | 'lifted' | 'requested')
    | ('lapsed' | 'over' | 'revoked' | 'stopped')
  readonly operator?: AuditPerson | undefined
  readonly customer?: AuditPerson | undefined
  readonly by?: AuditPerson | undefined
  readonly note?: string | undefined
  readonly ticket?: string | undefined
  readonly reason?: string | undefined
  readonly why?: string | undefined
  readonly application?: string | undefined
  readonly resource?: string | undefined
  readonly scope?: string | undefined
  readonly needs: readonly Need[]
  readonly for?: number | undefined
  readonly duration?: number | undefined
  readonly requestedAt: number
  readonly lapsesAt?: number | undefined
  readonly grantedAt?: number | undefined
  readonly until?: number | undefined
  readonly impersonation?: string | undefined
  readonly said: readonly Said[]
  readonly unapproved?: Unapproved | undefined
}

/** What somebody asked, decided or forbade, as of now. */
export type SupportRecord = AuditRecord

/** A record as a person is shown it. */
export interface RecordAnswer extends SupportRecord {
  /** The name of the application, where the console knows it. */
  readonly applicationName?: string
  /** The page of the ticket, where the deployment knows it. */
  readonly ticketUrl?: string
  /** Whether the scope changes data; `undefined` where the console does not know the scope. */
  readonly canChange?: boolean
  /** Whether the caller is its operator. */
  readonly isMine: boolean
  /** What the caller may say now. */
  readonly may: readonly SaidEvent[]
  /** What was declined to the same operator before, for a person who decides. */
  readonly declinedBefore?: readonly DeclinedBefore[]
}

export interface DeclinedBefore extends Pick<Said, 'at' | 'by' | 'note'> {
  readonly id: string
  readonly ticket?: string | undefined
}
