/** A place in a status list, for one access token. */
export interface StatusIndex {
  /** The list's name. */
  readonly list: string
  readonly index: number
}

/** Draws a place that is given to no other token, ever. Rejects where the storage fails. */
export type DrawStatusIndex = () => Promise<StatusIndex>
