import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { ConsumptionNote, EndingMethods } from './ending-contract.ts'

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
   * step; without that, it is ignored.
   *
   * @throws when the storage did not say who won. The caller then issues nothing.
   */
  consumeOnce(id: string, note?: ConsumptionNote): Promise<boolean>

  /**
   * Says that `consumeOnce` works for records of every model, `ReplayDetection` among them, and that
   * `upsert` never makes a consumed record unconsumed. The provider's replay detection is then
   * decided by it, and does not race. Leave it out where either is not so.
   */
  readonly consumesEveryModel?: boolean

  /**
   * Says what is wrong with the storage by rejecting. `provider.impersonation.check()` calls it.
   * Leave it out where there is nothing to ask.
   */
  check?(): Promise<void>

  destroy(id: string): Promise<void>

  /** Destroys every record of this model whose `payload.grantId` is `grantId`. */
  revokeByGrantId(grantId: string): Promise<void>
}

/** An adapter by which impersonations can be seen and ended as well. */
export interface EndingAdapter extends SingleUseAdapter, EndingMethods {}

/**
 * What every adapter of this package is: a plain function that oidc-provider accepts as its
 * `adapter` option and calls once per model. What goes beyond that (`close`, `deleteExpired`, …)
 * hangs on the function as a property.
 */
export type AdapterFactory = (model: string) => SingleUseAdapter

export type {
  ConsumptionNote,
  EndedFollower,
  EndingMethods,
  EndNote,
  ListedBefore,
  LookUp,
} from './ending-contract.ts'
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
