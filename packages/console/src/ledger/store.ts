import type { StoredRow } from 'oidc-provider-impersonation-verify/chain'
import type {
  AuditRow,
  ChainHead,
  NamedEntry,
  RemovedFrom,
  StoredPermit,
} from 'oidc-provider-impersonation-verify/format'
import type { Batch, Decision } from './batch.ts'
import type { PermitFilter, RowFilter } from './filters.ts'

/** A stored entry. */
export interface StoredEntry {
  /** The place in the store: opaque outside it. URLs contain it without escaping. */
  readonly cursor: string
  readonly writer: string
  readonly sequence: number
  readonly hash: string
  /** Of the text, also where the text was removed. */
  readonly digest: string
  /** `undefined` where the entry was removed when its time was over. Digest and hash are kept. */
  readonly text: string | undefined
  readonly row: string | undefined
  /** How often it happened: 1 or more. */
  readonly count: number
  /** Time of the last event, in milliseconds since the epoch, where `count` is more than 1. */
  readonly lastTime: number | undefined
}

export interface RowPage {
  /**
   * Newest first: by `at`, and then by `id` as bytes, both descending. With `oldestFirst`, both are
   * ascending.
   */
  readonly rows: readonly AuditRow[]
  /** The cursor of the next page; `undefined` at the end. */
  readonly next: string | undefined
  /**
   * Where so many rows were compared that the page ended before it was full: it looked at all rows of this
   * time and later (with `oldestFirst`, and earlier), in milliseconds since the epoch.
   */
  readonly lookedTo?: number | undefined
}

/** How many rows were counted. */
export interface RowCount {
  /** At most 1000. */
  readonly count: number
  /** Whether there may be more: it ended where it had counted or compared so many. */
  readonly more: boolean
}

/** A row with the entries that it is the sum of, both as they are at one moment. */
export interface FiledRow {
  readonly id: string
  /** `undefined` where it cannot be read. */
  readonly row: StoredRow | undefined
  /** In the order in which they were stored. */
  readonly entries: readonly NamedEntry[]
}

/** A permit with the entries that it is the sum of, in the order in which they were stored. */
export interface FiledPermit {
  readonly permit: StoredPermit
  readonly entries: readonly NamedEntry[]
}

/**
 * Where the audit is kept, with its permits: what `createSqliteAudit()` and `createPostgresAudit()` make. A
 * deployment can wrap one, and passes every call on. Every method rejects where the storage fails. A cursor
 * that no store can have made is refused with a `RangeError` whose `code` is `'ERR_AUDIT_CURSOR'`.
 */
export interface AuditStore {
  /**
   * How long a row is kept after its last entry, in seconds; `undefined` for ever. Rows on hold are
   * kept until they are released.
   */
  readonly keepFor: number | undefined

  /**
   * Creates what is missing. Called before all others, by the console and by permits. Safe in several
   * processes at once, and again.
   */
  open(): Promise<void>

  /**
   * Compares the tables with those that `open` creates. In SQLite, it also compares what is searched with the
   * rows. Called before each export. Those who call it while a comparison runs share the next one.
   *
   * @throws Error that says what differs, with `code: 'ERR_AUDIT_SCHEMA'`. So does `open`.
   */
  assertSchema(): Promise<void>

  /**
   * Writes a batch, and the rows that its entries belong to: see `fold` and `foldRepetition`. The same
   * batch written again changes nothing, so a write with an unknown result can be repeated. Of batches
   * of several writers for the same row, none is lost.
   *
   * Rejects with `code: 'ERR_AUDIT_UNSTORABLE'` where the batch is refused for what is in it: then nothing
   * of it is stored, and its number and its sequences come again with another batch.
   *
   * @returns the repeat keys of repetitions that are counted nowhere, since their entry was removed: the
   * recorder writes new entries for them
   */
  append(batch: Batch): Promise<readonly string[]>

  /**
   * The newest `limit` rows that match, older than the cursor (or of all). With `oldestFirst`, the oldest
   * ones, newer than the cursor. A page may have fewer and yet a `next`: see `lookedTo`.
   *
   * @param now for outcomes, in milliseconds since the epoch
   */
  find(
    filter: RowFilter,
    page: {
      before?: string | undefined
      limit: number
      now: number
      oldestFirst?: true | undefined
    },
  ): Promise<RowPage>

  /** How many rows match that are newer than this one. */
  countNewer(filter: RowFilter, than: { at: number; id: string }, now: number): Promise<RowCount>

  row(id: string): Promise<AuditRow | undefined>

  /** Those of the rows that are there, in any order, by one statement. */
  rows(ids: readonly string[]): Promise<readonly AuditRow[]>

  /**
   * All rows, each once, in any order, with their entries: none that is there all the time is left out.
   * `next` is the cursor of the next page; `undefined` at the end. How many statements a page takes does
   * not depend on how many rows it has.
   *
   * @param page with `only`, the row with this id alone
   */
  filedRows(page: {
    after?: string | undefined
    limit: number
    only?: string | undefined
  }): Promise<{
    readonly rows: readonly FiledRow[]
    readonly next: string | undefined
  }>

  /** The entries of a row in the order in which they were stored, after the cursor (or from the first). */
  timeline(
    id: string,
    page: { after?: string | undefined; limit: number },
  ): Promise<readonly StoredEntry[]>

  /**
   * The entries of several rows, in one statement: one row after the other as they are given, each from its first
   * entry on. Of the first row, those after the cursor.
   */
  timelines(
    ids: readonly string[],
    page: { after?: string | undefined; limit: number },
  ): Promise<readonly StoredEntry[]>

  /**
   * All entries in the order in which they became visible, after the cursor (or from the first). A
   * reader that goes on from the last cursor misses no entry of any process.
   */
  entries(page: { after?: string | undefined; limit: number }): Promise<readonly StoredEntry[]>

  /**
   * The entries about erasures of this time and later, as they were asked for (`support.erasing`) and done
   * (`support.erased`), in the order in which they became visible. Those whose text was removed are left out.
   *
   * @param since in milliseconds since the epoch
   */
  erasures(since: number): Promise<readonly StoredEntry[]>

  /** The cursor of the last entry; `undefined` in an empty store. */
  newest(): Promise<string | undefined>

  /** The last link of each chain that has an entry, also if all its entries are removed. */
  heads(): Promise<readonly ChainHead[]>

  /**
   * Removes at most `limit` rows whose `lastAt` is before this time and that are not on hold, and at most
   * `limit` permits whose `overAt` is before it, each with all its entries in one step. Of these (and of old entries without a row) writer, sequence, digest
   * and hash are kept, for ever: without one of them, what stands before it in its chain could not be
   * verified. The first entry of a chain is kept whole where it has no row: see `BEGUN_EVENT`. So
   * is what says that something was erased: what is missing would look removed too early.
   *
   * @returns how many rows, permits and entries were removed
   */
  remove(before: number, limit: number): Promise<number>

  /**
   * Removes a row with all its entries, as {@link remove} does and in one step, whatever its age, where it
   * may go as it is at that moment.
   *
   * @param mayGo is given the row as it is stored, and may be called again
   * @returns whether it was there, and is removed
   */
  removeRow(id: string, mayGo: (row: AuditRow) => boolean): Promise<boolean>

  /**
   * Called after an erasure: overwrites what was removed where a file still has it. A storage that cannot do
   * that does nothing.
   */
  overwriteRemoved(): Promise<void>

  /**
   * What is removed by now, for each chain from which something is. It costs by what was removed, and not by
   * what is left.
   */
  removed(): Promise<readonly RemovedFrom[]>

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

  /** {@link AuditStore.permits}, all, each with its entries as both are at one moment, by two statements at most. */
  filedPermits(page: { before?: string | undefined; limit: number }): Promise<{
    readonly permits: readonly FiledPermit[]
    readonly next: string | undefined
  }>

  /** As it is stored by now: never from a copy that may be older. */
  permit(id: string): Promise<StoredPermit | undefined>

  /** The newest permit with this slot: the one whose first version was stored last, whatever its `at`. */
  slotHolder(slot: string): Promise<StoredPermit | undefined>

  /**
   * All that decides whether somebody may start, by one statement: the newest permit of each of these slots,
   * and those that are granted to the operator for the customer and are not over. In any order; one that is both
   * may come twice.
   */
  permitsInForce(wanted: {
    readonly slots: readonly string[]
    readonly granted?:
      | { readonly customer: string; readonly operator: string; readonly notOverAt: number }
      | undefined
  }): Promise<readonly StoredPermit[]>

  /**
   * The newest `limit` permits that match, older than the cursor (or of all). With `oldestFirst`, the
   * oldest ones, newer than the cursor.
   */
  permits(
    filter: PermitFilter,
    page: { before?: string | undefined; limit: number; oldestFirst?: true | undefined },
  ): Promise<{ readonly permits: readonly StoredPermit[]; readonly next: string | undefined }>

  /** Keeps a signed checkpoint (a JWS). */
  keepCheckpoint(jws: string, time: number): Promise<void>

  /** The newest checkpoints, newest first. */
  checkpoints(limit: number): Promise<readonly string[]>

  /** Closes what `open` opened, and nothing that was handed in. */
  close(): Promise<void>
}
