/** What a permit says by itself. A time that has passed is no state of its own: see `overAt`. */
export type StoredPermitState =
  | 'granted'
  | 'paused'
  | 'refused'
  | 'requested'
  | 'resumed'
  | 'revoked'

/** A permit as it is kept: the sum of its entries, and by what it is found. Times in milliseconds. */
export interface StoredPermit {
  /** In the form of the id of a row: 43 of the characters A-Z, a-z, 0-9, - and _. */
  readonly id: string
  /** How many entries it is the sum of: 1 or more. */
  readonly version: number
  /** Time of the first entry. */
  readonly at: number
  /** The account id of the customer; `undefined` for any. */
  readonly customer: string | undefined
  /** The account id of the operator; `undefined` for any. */
  readonly operator: string | undefined
  /**
   * Of permits with the same slot, one is looked at before another is made. It stays as it is in the first
   * version. At most 128 characters of ASCII.
   */
  readonly slot: string | undefined
  readonly state: StoredPermitState
  /** Whether an approver still has to look at it afterwards. */
  readonly isReviewDue: boolean
  /**
   * From when on it is worth nothing and waits for nothing; not before its last entry. `undefined`:
   * not before another entry.
   */
  readonly overAt: number | undefined
  /** When the customer is to be told something about it. */
  readonly customerDueAt?: number | undefined
  /** When the deployment is to be told of a change. */
  readonly deploymentDueAt?: number | undefined
  /** The whole permit as JSON in ASCII. */
  readonly data: string
}
