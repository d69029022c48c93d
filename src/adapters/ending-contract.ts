import type { AdapterPayload } from 'oidc-provider'

/**
 * What is kept with the consumption of a subject token: what the exchange led to. A plain JSON
 * object. The adapter keeps it as it is, and knows one member.
 */
export interface ConsumptionNote {
  /** The account id of the operator. Where it is there, it replaces `payload.actor` for {@link LookUp}. */
  readonly actor?: string | undefined
  readonly [member: string]: unknown
}

/** What is kept with the end of an impersonation: when, by whom, why. A plain JSON object. */
export type EndNote = Readonly<Record<string, unknown>>

/** By what records are looked up. Several members are joined by *and*; none matches every record. */
export interface LookUp {
  /** The user: `payload.accountId`. */
  readonly accountId?: string | undefined
  /** The operator: `actor` of the note, or `payload.actor` as long as there is none. */
  readonly actor?: string | undefined
  /** The client that asked for the subject token: `payload.clientId`. */
  readonly clientId?: string | undefined
}

/** The last record of the page before: the next page starts after it. */
export interface ListedBefore {
  /** Its `payload.iat`. */
  readonly iat: number
  readonly id: string
}

/**
 * What an adapter of the model `SubjectToken` offers beside `SingleUseAdapter` so that
 * impersonations can be seen and ended. All of it, or none: a part counts as none.
 *
 * - `find` and `list` resolve payloads with `note` and `end` in them once there are any, as they
 *   were given, beside `consumed`.
 * - A record that has ended is never consumed: `consumeOnce` resolves `false` for it. `upsert`
 *   brings neither a consumption nor its note nor an end back to nothing while the record lives.
 * - Records without `payload.accountId` are never listed: the plugin keeps its own there.
 */
export interface EndingMethods {
  /**
   * Ends the record, consumed or not. Resolves `true` for exactly one caller, ever, whose `end` is
   * kept; `false` for all others and for records that are gone. The expiry stays as it is.
   *
   * It is called for a record that has ended, too, and **repairs** then: what {@link EndingMethods.endedIndices}
   * needs is written again, in case the storage lost it, before it resolves `false`. An adapter that
   * reads the indices from the records has nothing to do for that.
   *
   * The check and the write are one atomic step, and one and the same order holds for it and
   * `consumeOnce`: where both are called at once, either the consumption comes first, or it
   * resolves `false`.
   *
   * @throws when the storage did not say who won
   */
  endOnce(id: string, end: EndNote): Promise<boolean>

  /**
   * Resolves at most `limit` (1 to 100) live records that match, the newest first: by `payload.iat`,
   * then by id, both descending. Ids of base64url compare by code unit; others in an order that is
   * always the same. With `before`, those that come after it in this order, whether or not that
   * record still exists.
   *
   * Fewer than `limit` means that there are no more.
   */
  list(lookUp: LookUp, limit: number, before?: ListedBefore): Promise<AdapterPayload[]>

  /**
   * Resolves `payload.statusIndex` of every live record that has ended and whose
   * `payload.statusList` is `list`, in any order, without repetition. It sees every end whose
   * `endOnce` has resolved. Those of records that have expired may be among them.
   */
  endedIndices(list: string): Promise<number[]>

  /**
   * The same, for a provider that asks again and again and forgets nothing: by it a list costs by what is
   * new. Leave it out where the storage cannot tell what is new. A list is then read as a whole, each
   * second in each process.
   */
  followEnded?(list: string): EndedFollower
}

/** Reads the ended indices of one status list, each time those that are new. */
export interface EndedFollower {
  /**
   * Resolves at least the indices of ends whose `endOnce` has resolved before the call, and that no
   * earlier call of this follower has resolved; all of them at the first call. Some may come again, and
   * those of records that have expired may be among them.
   *
   * An end that is asked for again comes again where the storage had lost it. Calls may run at once. A
   * call that rejects has told nothing: what it would have told comes with the next one.
   */
  next(): Promise<Iterable<number>>
}

/**
 * The id of the record of a status list, in the model `SubjectToken`. Redis Cluster keeps what has the
 * same text in braces in one slot: a list and the blocks leased of it are lost together, or not at all.
 */
export function statusListId(list: string): string {
  return `status-list:{${list}}`
}

/** The id of the record of a block of a status list. */
export function statusBlockId(list: string, block: number): string {
  return `status-block:{${list}}:${block}`
}
