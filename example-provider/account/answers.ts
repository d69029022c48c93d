/**
 * `GET /account/impersonations?before&limit`, with `Authorization: Bearer <access token>` of a
 * person who signed in to customer-account: who acted as them, newest first.
 */
export interface AccountAnswer {
  /** May be empty although there are older ones. */
  readonly entries: readonly AccountEntry[]
  /** What to pass as `before` to go on with older ones; `null` at the end. */
  readonly next: string | null
}

/** What a customer may know: not the reason, which is internal, nor why an attempt was refused. */
export interface AccountEntry {
  /** When, in milliseconds since the epoch. */
  readonly time: number
  readonly event: 'impersonation.granted' | 'impersonation.denied' | 'impersonation.replayed'
  /** Who acted, or tried to; `null` where that is not known. */
  readonly operator: { readonly id: string; readonly name: string } | null
  readonly ticketId: string | null
  /** What they might do, of `impersonation.granted`. */
  readonly scope: string | null
  /** When it ends at the latest, in seconds since the epoch, of `impersonation.granted`. */
  readonly expiresAt: number | null
  /** When the operator said that they were done, in milliseconds, if that was before it expired. */
  readonly endedAt?: number
}
