import type { Outcome, RowUse } from 'oidc-provider-impersonation-verify/format'
import type { FoundRow } from '../ledger/store.ts'

// Answers to a bearer token, below `{path}`. Each request has `Authorization: Bearer <access token>`
// of a person who signed in to the console's client with the scope openid. Without a token the
// answer is 401; with a role that may not, 403 access_denied. A problem is
// `{error, error_description}`. Times are in milliseconds since the epoch.

/** The body of `POST /impersonations`: operator, lead. */
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

/** A row with what is derived from it. */
export interface RowAnswer extends FoundRow {
  readonly outcome: Outcome
  /** The page of the ticket, where the deployment knows it. */
  readonly ticketUrl?: string | undefined
  /** The name of the application, or its client id. */
  readonly applicationName?: string | undefined
  /** `true` if the scope changes data. `undefined` if the console does not know the scope. */
  readonly canChange?: boolean | undefined
  /** `true` if the caller ran it. */
  readonly isMine: boolean
  /** `true` if it can be ended, and by the caller. */
  readonly canEnd: boolean
  /** The newest request to an API, of what runs, with the words of the deployment. */
  readonly lastUse?: (RowUse & { readonly words: string | undefined }) | undefined
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
