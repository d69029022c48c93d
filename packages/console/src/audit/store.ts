import type {
  AuditRow,
  ChainHead,
  NamedEntry,
  Outcome,
  RemovedFrom,
} from 'oidc-provider-impersonation-verify/format'
import type { Batch } from './batch.ts'
import type { PermitStore } from './permit-store.ts'

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

/** Rows that match all given members. */
export interface RowFilter {
  /** `at` is this or later, in milliseconds since the epoch. */
  readonly from?: number | undefined
  /** `at` is earlier than this. */
  readonly to?: number | undefined
  /** The account id of the operator. */
  readonly operator?: string | undefined
  /** The account id of the customer. */
  readonly customer?: string | undefined
  /** The whole ticket number; upper and lower case are equal: see `searchable`. */
  readonly ticket?: string | undefined
  readonly outcome?: Outcome | undefined
  /**
   * Words, each of which begins a word of a name, e-mail address, account id, id, `jti`, ticket,
   * application or reason, without regard to case and accents: see `rowWordsOf`. A text without a letter
   * or digit finds nothing.
   */
  readonly text?: string | undefined
  /**
   * `'any'`: rows with an alarm. `'open'`: with one that no lead has acknowledged. `'urgent'`: those of
   * them that have to be looked at now.
   */
  readonly alarm?: 'any' | 'open' | 'urgent' | undefined
  /** Only rows on hold. */
  readonly held?: true | undefined
  /** Only rows whose customer was to be told something before this time. */
  readonly noticeDueBefore?: number | undefined
}

export interface RowPage {
  /**
   * Newest first: by `at`, and then by `id` as bytes, both descending. With `oldestFirst`, both are
   * ascending.
   */
  readonly rows: readonly AuditRow[]
  /** The cursor of the next page; `undefined` at the end. */
  readonly next: string | undefined
}

/** A row with the entries that it is the sum of, both as they are at one moment. */
export interface FiledRow {
  readonly id: string
  /** `undefined` where it cannot be read. */
  readonly row: AuditRow | undefined
  /** In the order in which they were stored. */
  readonly entries: readonly NamedEntry[]
  /**
   * Whether something that `find` looks at is not that of the row, or the row cannot be read: the
   * storage was changed by hand.
   */
  readonly isMisfiled: boolean
}

/**
 * Where the audit is kept: what `createSqliteAudit()` and `createPostgresAudit()` make. A deployment can wrap one, and passes every call on. Every method
 * rejects where the storage fails. A cursor that no store can have made is refused with a `RangeError`
 * whose `code` is `'ERR_AUDIT_CURSOR'`.
 */
export interface AuditStore extends PermitStore {
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
   * ones, newer than the cursor.
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

  /** How many rows match that are newer than this one; at most 100 are counted. */
  countNewer(filter: RowFilter, than: { at: number; id: string }, now: number): Promise<number>

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

  /** Keeps a signed checkpoint (a JWS). */
  keepCheckpoint(jws: string, time: number): Promise<void>

  /** The newest checkpoints, newest first. */
  checkpoints(limit: number): Promise<readonly string[]>

  /** Closes what `open` opened, and nothing that was handed in. */
  close(): Promise<void>
}
