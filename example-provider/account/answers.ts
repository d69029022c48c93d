/**
 * `GET /account/impersonations?before&limit` with `Authorization: Bearer <access token>` of a
 * person who signed in to customer-account. It lists the operators who acted as this person, newest
 * first.
 */
export interface AccountAnswer {
  /** May be empty although older entries exist. */
  readonly entries: readonly AccountEntry[]
  /** The value of `before` for the next, older page; `null` at the end. */
  readonly next: string | null
}

/**
 * What a customer may see. The reason for the impersonation and the reason of a refusal are
 * internal.
 */
export interface AccountEntry {
  /** Time of the event, in milliseconds since the epoch. */
  readonly time: number
  readonly event: 'impersonation.granted' | 'impersonation.denied' | 'impersonation.replayed'
  /** The operator who acted or tried to act; `null` if unknown. */
  readonly operator: { readonly id: string; readonly name: string } | null
  readonly ticketId: string | null
  /** Of `impersonation.granted`: the scope that the operator got. */
  readonly scope: string | null
  /** Of `impersonation.granted`: the latest end, in seconds since the epoch. */
  readonly expiresAt: number | null
  /** Time at which the operator ended it, in milliseconds since the epoch, if before the expiry. */
  readonly endedAt?: number
  /** Number of attempts, if more than one; `time` is the first attempt. */
  readonly count?: number
  /** With `count`: time of the last attempt, in milliseconds since the epoch. */
  readonly lastTime?: number
}
