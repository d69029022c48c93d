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

/** `GET /account/impersonations/running`: the operators who act as this person now. */
export interface RunningAnswer {
  readonly running: readonly RunningImpersonation[]
}

/**
 * The body of `POST /account/impersonations/end`. The answer is 204, also if it has ended already,
 * or 404 `not_found`.
 */
export interface EndBody {
  readonly id: string
}

/** What the two lists say of an impersonation. */
interface Told {
  /** The operator who acted or tried to act; `null` if unknown. */
  readonly operator: { readonly id: string; readonly name: string } | null
  readonly ticketId: string | null
  /** The scope that the operator got. */
  readonly scope: string | null
  /** The latest end, in seconds since the epoch. */
  readonly expiresAt: number | null
}

export interface RunningImpersonation extends Told {
  readonly id: string
  /** In seconds since the epoch. */
  readonly startedAt: number | null
}

/**
 * What a customer may see. The reason for the impersonation and the reason of a refusal are
 * internal. `scope`, `expiresAt` and `end` belong to `impersonation.granted`.
 */
export interface AccountEntry extends Told {
  /** Time of the event, in milliseconds since the epoch. */
  readonly time: number
  readonly event: 'impersonation.granted' | 'impersonation.denied' | 'impersonation.replayed'
  /** How it was ended before its expiry. */
  readonly end?: AccountEnd
  /** Number of attempts, if more than one; `time` is the first attempt. */
  readonly count?: number
  /** With `count`: time of the last attempt, in milliseconds since the epoch. */
  readonly lastTime?: number
}

export interface AccountEnd {
  /** In milliseconds since the epoch. */
  readonly time: number
  /** `their word`: the version before recorded it and ended nothing. */
  readonly by: 'you' | 'others' | 'their word'
}
