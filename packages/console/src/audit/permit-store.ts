import type {
  NamedEntry,
  StoredPermit,
  StoredPermitState,
} from 'oidc-provider-impersonation-verify/format'
import type { Batch } from './batch.ts'

/** An entry about a permit, and the permit after it. */
export interface Decision {
  /** One entry about the permit, and before it the first one of the chain, where it begins. */
  readonly batch: Batch
  readonly permit: StoredPermit
  /** The version that was looked at; 0 for a new permit. */
  readonly replaces: number
  /** The newest permit with the same slot when a new one was decided on; `undefined` for none. */
  readonly slotHolder: Pick<StoredPermit, 'id' | 'version'> | undefined
}

/** A permit with the entries that it is the sum of, in the order in which they were stored. */
export interface FiledPermit {
  readonly permit: StoredPermit
  readonly entries: readonly NamedEntry[]
}

/** Permits that match all given members. */
export interface PermitFilter {
  readonly customer?: string | undefined
  readonly operator?: string | undefined
  readonly state?: StoredPermitState | undefined
  /** Only those that are not over at this time. */
  readonly notOverAt?: number | undefined
  readonly isReviewDue?: true | undefined
  /** Only those whose customer was to be told something before this time. */
  readonly noticeDueBefore?: number | undefined
}

/** Where permits are kept: beside the audit, in the same storage. */
export interface PermitStore {
  /**
   * Compare-and-set: writes the batch and the permit in one step where the permit still has the version
   * that was looked at, and (for a new one with a slot) the newest permit of that slot is still the same,
   * in the same version. The same batch again changes nothing, and gets the answer of the first time.
   *
   * @returns `false` where something else was written before: then nothing of it is stored
   * @throws Error where the storage fails, or its answer is lost: then it may be stored or not, and the
   * caller looks again
   */
  decide(decision: Decision): Promise<boolean>

  /**
   * Removes a permit with all its entries in one step, whatever its age, where it may go as it is at that
   * moment.
   *
   * @param mayGo is given the permit as it is stored, and may be called again
   * @returns whether it was there, and is removed
   */
  removePermit(id: string, mayGo: (permit: StoredPermit) => boolean): Promise<boolean>

  /** {@link PermitStore.permits}, all, each with its entries as both are at one moment, by two statements at most. */
  filedPermits(page: { before?: string | undefined; limit: number }): Promise<{
    readonly permits: readonly FiledPermit[]
    readonly next: string | undefined
  }>

  /** As it is stored by now: never from a copy that may be older. */
  permit(id: string): Promise<StoredPermit | undefined>

  /** The newest permit with this slot: the one whose first version was stored last, whatever its `at`. */
  slotHolder(slot: string): Promise<StoredPermit | undefined>

  /**
   * The newest `limit` permits that match, older than the cursor (or of all). With `oldestFirst`, the
   * oldest ones, newer than the cursor.
   */
  permits(
    filter: PermitFilter,
    page: { before?: string | undefined; limit: number; oldestFirst?: true | undefined },
  ): Promise<{ readonly permits: readonly StoredPermit[]; readonly next: string | undefined }>
}
