import type { Adapter, AdapterPayload } from 'oidc-provider'

/**
 * The requirements for a storage adapter, so that a subject token is redeemed at most once, across
 * all processes.
 *
 * It is oidc-provider's own Adapter interface with one method more. One adapter instance serves
 * one model. Its constructor (or factory) receives the model's name, and ids of different models
 * must never meet. Times are whole seconds. `expiresIn` counts from the call.
 *
 * - A method that cannot reach its storage, or is not sure, **rejects**. It never resolves as if
 *   the record were absent, and never as if the write had happened. The caller responds with 500.
 * - `find*` resolve `undefined` for a record that never was, was destroyed, or has expired. An
 *   expired record that was not removed yet counts as gone.
 * - `find*` resolve a payload equal to the stored one, with `consumed` (seconds since the epoch)
 *   in it once it has been consumed.
 * - A record stored without `expiresIn` (a Client) never expires.
 *
 * @see {@link https://github.com/panva/node-oidc-provider/blob/main/docs/README.md#adapter}
 */
export interface SingleUseAdapter extends Adapter {
  /**
   * Creates or replaces the record and, if `expiresIn` is given, lets it expire by itself.
   *
   * It **never brings a consumed record back**. A record that replaces a live and consumed one is
   * consumed as well, since the time of the first one, whatever `payload.consumed` is. Otherwise
   * the new record is as `payload` has it, and an expired one, removed yet or not, is replaced as
   * if it were absent. The payload and the expiry are the new ones in every case.
   *
   * The read of the old record and the write of the new one must be one atomic step of the storage
   * engine, because a consumption between them would be lost. Then of any number of callers that
   * all `upsert` one id and call `consumeOnce` afterwards, exactly one gets `true`.
   */
  upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void>

  find(id: string): Promise<AdapterPayload | undefined>

  /** Finds a `DeviceCode` by its `payload.userCode`. */
  findByUserCode(userCode: string): Promise<AdapterPayload | undefined>

  /** Finds a `Session` by its `payload.uid`. */
  findByUid(uid: string): Promise<AdapterPayload | undefined>

  /** Marks the record as consumed, whether or not it was before. Its expiry stays as it is. */
  consume(id: string): Promise<void>

  /**
   * Marks the record as consumed. Resolves `true` for exactly one caller, ever; `false` for all
   * others and for records that are gone.
   *
   * The check and the write must be one atomic step of the storage engine (a conditional update, a
   * script), because a read before a write lets two callers win. A record that was marked by
   * `consume()` counts as consumed. This method must neither bring an expired record back nor
   * lengthen its life.
   *
   * With a `note`, and an adapter that has {@link EndingAdapter}, the note is stored in the same
   * step. Without that, it is ignored. `known` has the caller's facts about the record. An adapter
   * that lists the record by the actor of its note may write the list at the same time, and need
   * not read the record. It may be ignored.
   *
   * @throws if the storage did not report who won. The caller then issues nothing.
   */
  consumeOnce(id: string, note?: ConsumptionNote, known?: KnownRecord): Promise<boolean>

  /**
   * Rejects with the fault of the storage. `provider.impersonation.check()` calls it. Leave it out
   * if there is nothing to check.
   */
  check?(): Promise<void>

  destroy(id: string): Promise<void>

  /** Destroys every record of this model whose `payload.grantId` is `grantId`. */
  revokeByGrantId(grantId: string): Promise<void>
}

/**
 * The result of an exchange, stored with the consumption of its subject token. It is a plain JSON
 * object. The adapter stores it as it is, and reads one member.
 */
export interface ConsumptionNote {
  /**
   * The account id of the operator. If it is set, it replaces `payload.actor` for {@link LookUp}.
   */
  readonly actor?: string | undefined
  readonly [member: string]: unknown
}

/** The facts about the record that the caller of `consumeOnce` has. */
export interface KnownRecord {
  /** Its `payload.iat`, in seconds since the epoch. */
  readonly iat: number
  /** The rest of its lifetime, in seconds. */
  readonly expiresIn: number
}

/** The time, person and cause of an end, stored with it. It is a plain JSON object. */
export type EndNote = Readonly<Record<string, unknown>>

/**
 * The filter of a list. Several members are joined by *and*. Without members, it matches every
 * record.
 */
export interface LookUp {
  /** The user: `payload.accountId`. */
  readonly accountId?: string | undefined
  /** The operator: `actor` of the note, or `payload.actor` as long as there is none. */
  readonly actor?: string | undefined
  /** The client that requested the subject token: `payload.clientId`. */
  readonly clientId?: string | undefined
}

/** The last record of the page before. The next page starts after it. */
export interface ListedBefore {
  /** Its `payload.iat`. */
  readonly iat: number
  readonly id: string
}

/**
 * The methods that an adapter of the model `SubjectToken` offers in addition to
 * `SingleUseAdapter`, so that impersonations can be listed and ended. All of them, or none: a part
 * counts as none.
 *
 * - `find` and `list` resolve payloads with `note` and `end` in them once there are any, as they
 *   were given, in addition to `consumed`.
 * - A record that has ended is never consumed: `consumeOnce` resolves `false` for it. `upsert`
 *   removes neither a consumption nor its note nor an end while the record lives.
 * - `find` and `list` see every write that has resolved. They read from no replica, and no cache
 *   stands before them.
 * - Records without `payload.accountId` are never listed. Records whose account id begins with
 *   U+0001 are the plugin's own. It skips them itself if a look-up without an account resolves
 *   them.
 */
export interface EndingMethods {
  /**
   * Ends the record, consumed or not. Resolves `true` for exactly one caller, ever, whose `end` is
   * stored; `false` for all others and for records that are gone. The expiry stays as it is.
   *
   * It is called for a record that has ended, too, and **repairs** it then. The data that
   * {@link EndingMethods.endedIndices} needs is written again, in case the storage lost it, before
   * it resolves `false`. An adapter that reads the indices from the records has nothing to do for
   * that.
   *
   * The check and the write are one atomic step, and one and the same order holds for it and
   * `consumeOnce`. If both are called at once, either the consumption comes first, or it resolves
   * `false`.
   *
   * @throws if the storage did not report who won
   */
  endOnce(id: string, end: EndNote): Promise<boolean>

  /**
   * Resolves at most `limit` (1 to 100) live records that match, the newest first: by
   * `payload.iat`, then by id, both descending. Ids of base64url compare by code unit, others in
   * an order that is always the same. With `before`, it resolves those that come after it in this
   * order, whether or not that record still exists.
   *
   * Fewer than `limit` means that there are no more.
   */
  list(lookUp: LookUp, limit: number, before?: ListedBefore): Promise<AdapterPayload[]>

  /**
   * Resolves `payload.statusIndex` of every live record that has ended and whose
   * `payload.statusList` is `list`, in any order, without repetition. It sees every end whose
   * `endOnce` has resolved. Indices of records that have expired or were destroyed may be among
   * them, because an end that an API has seen is not taken back.
   */
  endedIndices(list: string): Promise<number[]>

  /**
   * Incremental: returns only ends since the last call. Leave it out if the storage cannot report
   * new ends. A list is then read as a whole, each second in each process.
   */
  followEnded?(list: string): EndedFollower
}

/** Reads the new ended indices of one status list on each call. */
export interface EndedFollower {
  /**
   * Resolves at least the indices of ends whose `endOnce` has resolved before the call, and that
   * no earlier call of this follower has resolved. The first call resolves all of them. Some may
   * come again, and those of records that have expired or were destroyed may be among them.
   *
   * An end that is repeated comes again if the storage had lost it. Calls may run at once. If a
   * call rejects, its indices come with the next one.
   */
  next(): Promise<Iterable<number>>
}

/** An adapter that can list and end impersonations as well. */
export interface EndingAdapter extends SingleUseAdapter, EndingMethods {}

/**
 * The form of every adapter of this package: a plain function that oidc-provider accepts as its
 * `adapter` option and calls once per model. Further functions (`close`, `deleteExpired`, …) are
 * its properties.
 */
export type AdapterFactory = (model: string) => SingleUseAdapter

export { StorageError } from './storage-error.ts'

/** Checks whether an adapter offers {@link SingleUseAdapter.check}. */
export function hasCheck<T extends Adapter>(adapter: T): adapter is T & { check(): Promise<void> } {
  return 'check' in adapter && typeof adapter.check === 'function'
}

/** Checks whether an adapter offers {@link SingleUseAdapter.consumeOnce}. */
export function hasConsumeOnce<T extends Adapter>(
  adapter: T,
): adapter is T & Pick<SingleUseAdapter, 'consumeOnce'> {
  return 'consumeOnce' in adapter && typeof adapter.consumeOnce === 'function'
}

const ENDING_METHODS = ['consumeOnce', 'endOnce', 'list', 'endedIndices'] as const

/** Checks whether an adapter offers {@link EndingAdapter}. */
export function hasEnding<T extends Adapter>(adapter: T): adapter is T & EndingAdapter {
  return missingForEnding(adapter).length === 0
}

/** The methods that an adapter lacks for {@link EndingAdapter}. */
export function missingForEnding(adapter: Adapter): string[] {
  return ENDING_METHODS.filter((name) => typeof Reflect.get(adapter, name) !== 'function')
}
