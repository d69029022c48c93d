import type { AuditEntry } from '../audit/entry.ts'

// What the endpoints under /support answer. All take `Authorization: Bearer <access token>` of an
// operator, got with the scope openid by support-console or support-web; 401 without one, 403
// access_denied for who is not support staff, and `{error, error_description}` for every problem.

/** `GET /support/me` */
export interface MeAnswer {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** `GET /support/customers?q=`: in id, name or e-mail, whatever the case; everybody without `q`. */
export interface CustomersAnswer {
  /** At most 50, by name. */
  readonly customers: readonly {
    readonly id: string
    readonly name: string
    readonly email: string
    /** Nobody may act as them. */
    readonly protected: boolean
  }[]
  /** Whether there are others, which were left out. */
  readonly more: boolean
}

/** With the place that it has: what `before` and `after` take. */
export type PlacedEntry = { readonly cursor: string } & AuditEntry

/**
 * `GET /support/audit?subject&actor&event&text&before&limit`: newest first. An empty `subject`,
 * `actor`, `event` or `text` is none; `limit` is 1 to 200, and 50 without.
 *
 * Each event of `GET /support/audit/stream?after=<cursor>` is `event: audit`, `id: <cursor>`, and
 * as `data` one {@link PlacedEntry}. Comments in between say that the stream is alive.
 */
export interface AuditAnswer {
  /** May be empty although there are older ones: so many were looked at that did not match. */
  readonly entries: readonly PlacedEntry[]
  /** What to pass as `before` to go on with older ones; `null` at the end. */
  readonly next: string | null
}

/** `POST /support/impersonations` takes this; 201 and the management API's answer. */
export interface ImpersonationBody {
  readonly userId: string
  readonly reason: string
  readonly ticketId: string
  /** @defaultValue `'orders:read'` */
  readonly scope?: string
  /** Seconds in which the subject token must be exchanged. */
  readonly expiresIn?: number
  /** Seconds to act, 30 to 600. */
  readonly duration?: number
}

/** `POST /support/impersonations/end` takes this; 204, or 404 `not_found`. */
export interface EndBody {
  /** Of the access token that was used to act. */
  readonly jti: string
}
