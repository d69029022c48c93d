import type { AuditEntry } from '../audit/entry.ts'

// The answers of the endpoints under /support. All need `Authorization: Bearer <access token>` of
// an operator. support-console or support-web gets this token with the scope openid. Without a
// token, the answer is 401; without a support role, 403 access_denied. Every problem has the form
// `{error, error_description}`.

/** `GET /support/me` */
export interface MeAnswer {
  readonly id: string
  readonly name: string
  readonly email: string
}

/**
 * `GET /support/customers?q=`: searches id, name and e-mail, ignoring case. Without `q`: all
 * people.
 */
export interface CustomersAnswer {
  /** At most 50, by name. */
  readonly customers: readonly {
    readonly id: string
    readonly name: string
    readonly email: string
    /** Whether acting as this person is forbidden. */
    readonly protected: boolean
  }[]
  /** Whether more people match than the answer contains. */
  readonly more: boolean
}

/**
 * An entry and its cursor, for `before` and `after`. A repeated event keeps its place, and has
 * `count` and `lastTime`.
 */
export type PlacedEntry = { readonly cursor: string } & AuditEntry

/**
 * `GET /support/audit?subject&actor&event&text&before&limit`: newest first. An empty `subject`,
 * `actor`, `event` or `text` counts as absent; `limit` is 1 to 200, by default 50.
 *
 * Each event of `GET /support/audit/stream?after=<cursor>` is `event: audit`, `id: <cursor>`, and
 * one {@link PlacedEntry} as `data`. Comments between the events show that the stream is alive. The
 * stream sends each entry once. Only the search shows that an event was repeated.
 */
export interface AuditAnswer {
  /** May be empty although older entries exist: a search reads a limited number of entries. */
  readonly entries: readonly PlacedEntry[]
  /** The value of `before` for the next, older page; `null` at the end. */
  readonly next: string | null
}
