import type { Adapter, AdapterPayload } from 'oidc-provider'

/**
 * What a storage adapter has to do so that a subject token is redeemed at most once, across all
 * processes.
 *
 * It is oidc-provider's own Adapter interface with one method more. One adapter instance serves
 * one model: its constructor (or factory) receives the model's name, and ids of different models
 * must never meet. Times are whole seconds; `expiresIn` counts from the call.
 *
 * - A method that cannot reach its storage, or is not sure, **rejects**. It never resolves as if
 *   the record were absent, and never as if the write had happened: the caller answers 500.
 * - `find*` resolve `undefined` for a record that never was, was destroyed, or has expired; an
 *   expired record that was not removed yet counts as gone.
 * - `find*` resolve a payload equal to what was stored, with `consumed` (seconds since the epoch)
 *   in it once it has been consumed.
 * - A record stored without `expiresIn` (a Client) never expires.
 *
 * @see {@link https://github.com/panva/node-oidc-provider/blob/main/docs/README.md#adapter}
 */
export interface SingleUseAdapter extends Adapter {
  /**
   * Creates or replaces the record and, where `expiresIn` is given, lets it expire by itself.
   *
   * It **never brings a consumed record back**: what replaces a record that is live and consumed
   * is consumed as well, since the time the first one was, whatever `payload.consumed` says. Else
   * the new record is as `payload` says, and an expired one, removed yet or not, is replaced as if
   * it were absent. The payload and the expiry are the new ones in every case.
   *
   * Looking at the old record and writing the new one must be one atomic step of the storage
   * engine: a consumption between them would be lost. Then of any number of callers that all
   * `upsert` one id and call `consumeOnce` afterwards, exactly one gets `true`.
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
   * The check and the write must be one atomic step of the storage engine (a conditional update,
   * a script): reading first and writing afterwards lets two callers win. A record that was
   * marked by `consume()` counts as consumed. Nothing that this method does may bring an expired
   * record back or lengthen its life.
   *
   * With a `note`, and an adapter that has {@link EndingAdapter}, the note is kept in the same
   * step; without that, it is ignored. `known` is what the caller knows of the record: an adapter that lists the
   * record by the actor of its note may write that at the same time, and need not read the record. It may be ignored.
   *
   * @throws when the storage did not say who won. The caller then issues nothing.
   */
  consumeOnce(id: string, note?: ConsumptionNote, known?: KnownRecord): Promise<boolean>

  /**
   * Says what is wrong with the storage by rejecting. `provider.impersonation.check()` calls it.
   * Leave it out where there is nothing to ask.
   */
  check?(): Promise<void>

  destroy(id: string): Promise<void>

  /** Destroys every record of this model whose `payload.grantId` is `grantId`. */
  revokeByGrantId(grantId: string): Promise<void>
}

/**
 * What is kept with the consumption of a subject token: what the exchange led to. A plain JSON
 * object. The adapter keeps it as it is, and knows one member.
 */
export interface ConsumptionNote {
  /** The account id of the operator. Where it is there, it replaces `payload.actor` for {@link LookUp}. */
  readonly actor?: string | undefined
  readonly [member: string]: unknown
}

/** What the caller of `consumeOnce` knows of the record. */
export interface KnownRecord {
  /** Its `payload.iat`: seconds since the epoch. */
  readonly iat: number
  /** How long it still lives, in seconds. */
  readonly expiresIn: number
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
 * - `find` and `list` see every write that has resolved: they read from no replica, and no cache stands before them.
 * - Records without `payload.accountId` are never listed. Those whose account id begins with U+0001 are the
 *   plugin's own. It skips them itself where a look-up without an account resolves them.
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
   * `endOnce` has resolved. Those of records that have expired or were destroyed may be among them: an end
   * that an API knows of is not taken back.
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
   * those of records that have expired or were destroyed may be among them.
   *
   * An end that is asked for again comes again where the storage had lost it. Calls may run at once. A
   * call that rejects has told nothing: what it would have told comes with the next one.
   */
  next(): Promise<Iterable<number>>
}

/** An adapter by which impersonations can be seen and ended as well. */
export interface EndingAdapter extends SingleUseAdapter, EndingMethods {}

/**
 * What every adapter of this package is: a plain function that oidc-provider accepts as its
 * `adapter` option and calls once per model. What goes beyond that (`close`, `deleteExpired`, …)
 * hangs on the function as a property.
 */
export type AdapterFactory = (model: string) => SingleUseAdapter

export { StorageError } from './storage-error.ts'

/** Whether an adapter offers {@link SingleUseAdapter.check}. */
export function hasCheck<T extends Adapter>(adapter: T): adapter is T & { check(): Promise<void> } {
  return 'check' in adapter && typeof adapter.check === 'function'
}

/** Whether an adapter offers {@link SingleUseAdapter.consumeOnce}. */
export function hasConsumeOnce<T extends Adapter>(
  adapter: T,
): adapter is T & Pick<SingleUseAdapter, 'consumeOnce'> {
  return 'consumeOnce' in adapter && typeof adapter.consumeOnce === 'function'
}

const ENDING_METHODS = ['consumeOnce', 'endOnce', 'list', 'endedIndices'] as const

/** Whether an adapter offers {@link EndingAdapter}. */
export function hasEnding<T extends Adapter>(adapter: T): adapter is T & EndingAdapter {
  return missingForEnding(adapter).length === 0
}

/** The methods that an adapter lacks for {@link EndingAdapter}. */
export function missingForEnding(adapter: Adapter): string[] {
  return ENDING_METHODS.filter((name) => typeof Reflect.get(adapter, name) !== 'function')
}
