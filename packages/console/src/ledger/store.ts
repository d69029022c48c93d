import type { DigestParts } from 'oidc-provider-impersonation-verify/chain'
import type { AuditRow, StoredRecord, Unapproved } from 'oidc-provider-impersonation-verify/format'
import type { PermitFilter, RowFilter } from './filters.ts'

/** A stored entry. */
export interface StoredEntry extends Pick<DigestParts, 'id' | 'time'> {
  /** The place in the store: 1 for the first entry, and one more for each next, in the order of the commits. */
  readonly number: number
  /** Of the text, also where the text was removed. */
  readonly digest: string
  /** `undefined` where it was removed when its time was over, or erased. */
  readonly text: string | undefined
  /** Shows that a process of the deployment wrote it. */
  readonly mac: string
  /** The impersonation or the permit that it is about. */
  readonly row: string | undefined
}

/** A sum as an export has it. */
export interface FiledSum {
  readonly kind: Sum['kind']
  /** Of what cannot be read, the id alone. Of a permit also `first`, the number of its first entry. */
  readonly value: object
}

/** An entry as an export has it, with the sum of its row where it is the last one of it. */
export interface FiledEntry extends StoredEntry {
  readonly sum: FiledSum | undefined
}

/** What an impersonation or a permit is by now: the sum of its entries. */
export type Sum = {
  /** The number of its last entry. */
  readonly version: number
} & (
  | { readonly kind: 'impersonation'; readonly row: AuditRow }
  | { readonly kind: 'record'; readonly permit: StoredRecord }
)

/** A permit as it is stored. */
export interface KeptRecord extends StoredRecord {
  /** The number of its last entry. */
  readonly last: number
}

/** A permit with its entries, in their order. */
export interface RecordWithEntries extends KeptRecord {
  readonly entries: readonly StoredEntry[]
}

/** A sum as a batch leaves it. */
export interface NewSum {
  readonly kind: Sum['kind']
  readonly id: string
  /** The version that was looked at; 0 for none. */
  readonly replaces: number
  /** The places in the batch of its first and its last entry, from 0. */
  readonly from: number
  readonly at: number
  /** JSON. */
  readonly data: string
}

/** What is written in one step: all of it or nothing. */
export interface Batch {
  readonly entries: readonly {
    readonly digest: string
    /** JSON in ASCII. */
    readonly text: string
    readonly mac: string
  }[]
  readonly sums: readonly NewSum[]
  /** Permits that have to be the newest ones of their slots: 0 where there has to be none. */
  readonly slots: readonly { readonly slot: string; readonly version: number }[]
}

/** What became of a batch. */
export type Written =
  /** It is stored, now or before. */
  | { readonly is: 'stored' /** Of its first entry. */; readonly number: number }
  /** Nothing of it is stored: a sum has another version, or a slot another holder. */
  | { readonly is: 'changed' }
  /** Nothing of it is stored, or will be: the deadline was over. */
  | { readonly is: 'late' }

/** What may be removed. */
export interface Removal {
  readonly sums: readonly { readonly id: string; readonly version: number }[]
  /** The numbers of entries that are about no impersonation and no permit. */
  readonly alone: readonly number[]
}

/** A seal as it is kept. */
export interface StoredSeal {
  readonly number: number
  readonly last: number
  readonly jws: string
  /** Shows that a process of the deployment wrote it. */
  readonly mac: string
}

/** A row, with how nobody approved it: of the record that permitted it, as it is by now. */
export type FoundRow = AuditRow & Unapproved

export interface RowPage {
  /**
   * Newest first: by `at`, and then by `id` as bytes, both descending. With `oldestFirst`, both are
   * ascending.
   */
  readonly rows: readonly FoundRow[]
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

interface ListPage {
  readonly before?: string | undefined
  readonly limit: number
  readonly oldestFirst?: true | undefined
}

interface EntryPage {
  /** The number of the entry before them. @defaultValue 0 */
  readonly after?: number | undefined
  readonly limit: number
}

/**
 * Where the audit is kept: what `createSqliteAudit()` and `createPostgresAudit()` make. Every method rejects where the
 * storage fails. A cursor that no store can have made is refused with an error whose `statusCode` is 400.
 */
export interface AuditStore {
  /**
   * How long a row is kept after its last entry, in seconds; `undefined` for ever. Rows on hold are
   * kept until they are released.
   */
  readonly keepFor: number | undefined

  /** Creates what is missing. Safe in several processes at once, and again. */
  open(): Promise<void>

  /**
   * Compares the tables with those that `open` creates. In SQLite, it also compares what is searched with the
   * rows. Called before each export. Those who call it while a comparison runs share the next one.
   *
   * @throws Error that says what differs, with `code: 'ERR_AUDIT_SCHEMA'`. So does `open`.
   */
  assertSchema(): Promise<void>

  /** The deadline of a write, by the clock that `write` compares it with. @param withinMs at most so long from now on */
  deadlineIn(withinMs: number): number

  /**
   * Writes a batch, where each sum has the version that was looked at. The same batch with the same deadline again
   * answers what became of it: so the outcome of a write whose answer was lost is known after the deadline.
   *
   * @throws UnstorableError where the batch is refused for what is in it: nothing of it is stored
   * @throws Error where it is not known whether it is stored
   */
  write(batch: Batch, deadline: number): Promise<Written>

  /** What these ids are by now, by one statement. What cannot be read is `'unreadable'`. */
  sums(ids: readonly string[]): Promise<ReadonlyMap<string, Sum | 'unreadable'>>

  /**
   * The newest `limit` rows that match, older than the cursor (or of all). With `oldestFirst`, the oldest
   * ones, newer than the cursor. A page may have fewer and yet a `next`: see `lookedTo`.
   *
   * @param now for outcomes, in milliseconds since the epoch
   */
  find(filter: RowFilter, page: ListPage & { readonly now: number }): Promise<RowPage>

  /** How many rows match that are newer than this one. */
  countNewer(filter: RowFilter, than: { at: number; id: string }, now: number): Promise<RowCount>

  row(id: string): Promise<FoundRow | undefined>

  /** The entries of a row, in the order in which they were stored. */
  timeline(id: string, page: EntryPage): Promise<readonly StoredEntry[]>

  /**
   * The entries of several rows, in one statement: one row after the other as they are given, each from its first
   * entry on. Of the first row, those after `after`.
   */
  timelines(ids: readonly string[], page: EntryPage): Promise<readonly StoredEntry[]>

  /**
   * All entries in the order in which they became visible. A reader that goes on from the last number misses no
   * entry of any process.
   */
  entries(page: EntryPage): Promise<readonly StoredEntry[]>

  /** The same with sums: one statement reads both as they are at one moment. */
  filed(page: EntryPage): Promise<readonly FiledEntry[]>

  /** Sums, at most 100, whose last entry is not there: somebody changed the storage. */
  strays(): Promise<readonly FiledSum[]>

  /** The number of the last entry; 0 in an empty store. */
  newest(): Promise<number>

  /**
   * At most `limit` rows whose `lastAt` is before this time and that are not on hold, as many permits whose `overAt`
   * is before it, and as many entries about neither. What says that something was erased is kept for ever.
   */
  old(before: number, limit: number): Promise<Removal>

  /**
   * Removes rows and permits that have these versions, with the texts of all their entries, in one step. Of each
   * entry number and digest are kept, for ever.
   *
   * @returns how many rows, permits and entries about neither were removed
   */
  remove(removal: Removal): Promise<number>

  /**
   * Called after an erasure: overwrites what was removed where a file still has it. A storage that cannot do
   * that does nothing.
   */
  overwriteRemoved(): Promise<void>

  /** As it is stored by now: never from a copy that may be older. */
  permit(id: string): Promise<KeptRecord | undefined>

  /** The newest permit with this slot: the one whose first entry was stored last, whatever its `at`. */
  slotHolder(slot: string): Promise<KeptRecord | undefined>

  /**
   * All that decides whether somebody may start, by one statement: the newest permit of each of these slots,
   * and those that are granted to the operator for the customer and are not over. In any order.
   */
  permitsInForce(wanted: {
    readonly slots: readonly string[]
    readonly granted?:
      | { readonly customer: string; readonly operator: string; readonly notOverAt: number }
      | undefined
  }): Promise<readonly RecordWithEntries[]>

  /**
   * The newest `limit` permits that match, older than the cursor (or of all). With `oldestFirst`, the
   * oldest ones, newer than the cursor.
   */
  permits(
    filter: PermitFilter,
    page: ListPage,
  ): Promise<{ readonly permits: readonly KeptRecord[]; readonly next: string | undefined }>

  /** @returns `false` where there is a seal with this number: another process was first */
  addSeal(seal: StoredSeal): Promise<boolean>

  /** Seals in their order, after a number. */
  sealsAfter(number: number, limit: number): Promise<readonly StoredSeal[]>

  /** The number of the first seal that covers this entry; `undefined` where none does. */
  sealOf(entry: number): Promise<number | undefined>

  newestSeals(limit: number): Promise<readonly StoredSeal[]>

  removeSeal(seal: StoredSeal): Promise<void>

  /** The newest seals (JWS), newest first: keep them elsewhere. */
  seals(limit: number): Promise<readonly string[]>

  /** Closes what `open` opened, and nothing that was handed in. */
  close(): Promise<void>
}
