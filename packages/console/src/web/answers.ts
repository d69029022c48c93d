import type {
  AuditEntry,
  AuditPerson,
  AuditRow,
  Outcome,
  RowUse,
} from 'oidc-provider-impersonation-verify/format'
import type { Role } from '../kernel/roles.ts'
import type { RowFilter } from '../ledger/filters.ts'

// Answers to a bearer token, below `{path}`. Each request has `Authorization: Bearer <access token>`
// of a person who signed in to the console's client with the scope openid. Without a token the
// answer is 401; with a role that may not, 403 access_denied. A problem is
// `{error, error_description}`. Times are in milliseconds since the epoch.

/** `GET /me`: every role. */
export interface MeAnswer {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly applications: readonly {
    readonly name: string
    readonly clientId: string
    readonly canChange: boolean
  }[]
  /** In seconds; empty without a choice. */
  readonly durations: readonly number[]
  /** The source of the regular expression of a ticket number. */
  readonly ticketPattern?: string
  /** A ticket number that matches it. */
  readonly ticketExample?: string
  /** `true` if the console has permits: see answers.ts of permits. */
  readonly permits?: true
  /** `true` if the person has the page of personal data: see answers.ts of personal-data. */
  readonly mayErase?: true
}

export interface CustomerAnswer {
  readonly id: string
  readonly name: string
  readonly email?: string
  /** The reason why nobody may act as them. */
  readonly protected?: string
  readonly details?: Readonly<Record<string, string>>
}

/** The result of a search, at most 25. */
export interface CustomersAnswer {
  readonly customers: readonly CustomerAnswer[]
  readonly more: boolean
}

/**
 * The body of `POST /impersonations`: operator, lead. 201 {@link HandOver}. 403 `access_denied` for
 * a protected customer. 403 `own_account` for the operator's own. 403 `stopped` with the stop as `record`. 404 `user_not_found`.
 */
export interface ActBody {
  readonly userId: string
  /** 1 to 100 characters. */
  readonly ticketId: string
  /** 1 to 500 characters. */
  readonly reason: string
  /** The client id of the application. */
  readonly application: string
  readonly access: 'change' | 'read'
  /** One of `durations`, in seconds. */
  readonly duration?: number | undefined
}

/**
 * `POST /impersonations/:id/continue` with `{ access?: 'change' }`: operator, lead. Asks for a new
 * impersonation with the customer, ticket, reason, application, access (or a wider one) and duration of
 * one that the caller ran. 201
 * {@link HandOver}. 404 where it is not the caller's own, or never began. 409 `conflict` where
 * another person, a policy or a replay ended it, or where it has been over for more than ten minutes.
 */
export interface HandOver {
  /** The id of the impersonation. */
  readonly id: string
  readonly subjectToken: string
  /** Seconds until it is worth nothing. */
  readonly expiresIn: number
  /** The page of the application. */
  readonly url: string
  /** `fragment`: `impersonationUrl(url, …)` makes the link. `form`: it is posted there. */
  readonly handOver: 'form' | 'fragment'
  /** The name of the application. */
  readonly name: string
}

/**
 * A part of the first page: an operator sees their own, leads and auditors see all. Oldest first: the newest
 * 500.
 * `POST /running/:id/end` with `{}`: the caller ends their own, a lead any; 204. 404 where no such
 * impersonation runs.
 */
export interface RunningAnswer {
  readonly running: readonly RunningImpersonation[]
  /** `true` if more run than these. */
  readonly more: boolean
}

/** Names and what was done are of the audit: while it cannot be read, they are not there. */
export interface RunningImpersonation extends RowAnswer {
  readonly customer: AuditPerson
  readonly canChange: boolean
  readonly startedAt: number
  readonly expiresAt: number
  /** The newest request to an API, of what the caller runs, and for leads and auditors. */
  readonly lastUse?: RunningUse | undefined
  /** `true` if the caller runs it. */
  readonly isMine: boolean
  /** `true` if the caller may end it. */
  readonly canEnd: boolean
}

export interface RunningUse extends RowUse {
  /** As {@link TimelineEntry} has it. */
  readonly words?: string
}

/** A row with what is derived from it. */
export interface RowAnswer extends AuditRow {
  readonly outcome: Outcome
  /** The page of the ticket, where the deployment knows it. */
  readonly ticketUrl?: string
  /** The name of the application, or its client id. */
  readonly applicationName?: string
}

/**
 * `GET /audit?from=&to=&operator=&customer=&ticket=&outcome=&text=&alarm=&held=&unapproved=&before=&limit=&first=`.
 * `from` and `to` are milliseconds since the epoch; `limit` is 1 to 200, 50 without. Leads and
 * auditors see all rows. An operator sees their own; with `customer`, those of this customer.
 */
export interface AuditAnswer {
  readonly rows: readonly RowAnswer[]
  /** The value of `before` for the next, older page. */
  readonly next?: string
  /**
   * The page ended before it was full, since so many rows were compared: all of this time and later were looked
   * at.
   */
  readonly lookedTo?: number
  /** With `first`: how many rows are newer, at most 1000, and whether there may be more than these. */
  readonly newer?: { readonly count: number; readonly more: boolean }
  readonly filter: RowFilter
  /** `true` if the request was for days of the reader's calendar. */
  readonly isDays: boolean
  readonly before?: string
  readonly now: number
}

/**
 * `GET /audit/:id?after=&limit=`: the row with its entries, oldest first, at most 200. An operator: only their
 * own, else 404.
 */
export interface ImpersonationAnswer extends RowAnswer {
  /** The names of those who acknowledged, held or released it, and of others in the entries, by account id. */
  readonly byNames: Readonly<Record<string, string>>
  readonly entries: readonly TimelineEntry[]
  readonly next?: string
  /** The address of the provider's public keys. */
  readonly keys: string
}

export type TimelineEntry = AuditEntry & {
  /** A link to the entry: `#` and this. */
  readonly cursor: string
  /** Its place in the audit, and what is sealed of it. */
  readonly number: number
  readonly digest: string
  /**
   * With `impersonation.used`: what was done, as `account.describe` of the deployment says it in the
   * language of the reader. At most 200 characters.
   */
  readonly words?: string | undefined
}

// `POST /audit/:id/hold` and `/release` with `{ note: string }` or `{ note?: string }`: lead, auditor. 204.
//   Releasing what is not on hold: 409 `conflict`. A note has at most 1000 characters.
// `GET /audit/export.csv` with the filter of `GET /audit`: lead, auditor.
//   Streamed; one line for each row. The export is an entry itself.
// `GET /audit/entries.jsonl`: lead, auditor. All entries with their sums, and the seals in
//   the last line, for the command `verify`.
// `GET /audit/:id/entries.jsonl`: lead, auditor. The same for one impersonation: it has no text of
//   other entries, only their digests. 404 where there is no such impersonation.

/**
 * `GET /stream`: server-sent events. The first one comes at once, with no ids: what happened before it,
 * the page may have missed. `event: changed`, `data: {"ids": […], "waits": number, …}`: rows
 * that the caller may see have changed (at most 100 ids; then `ids` is empty, which means any), and
 * how many things wait for the caller. Comments between show that it is alive. The count is at most one
 * more than 100: then there are more than these.
 */
export interface ChangedEvent {
  readonly ids: readonly string[]
  readonly waits: number
  /** `true` if one of them may have begun to run, or ended. */
  readonly isOfRunning: boolean
}
