import type { DigestParts } from 'oidc-provider-impersonation-verify/chain'
import type { AuditRow, StoredRecord, Unapproved } from 'oidc-provider-impersonation-verify/format'
import type { sqlStore } from './stores/sql/store.ts'

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
  /** The id alone, if it cannot be read. A permit also has `first`, the number of its first entry. */
  readonly value: object
}

/** An entry as an export has it, with the sum of its row where it is the last one of it. */
export interface FiledEntry extends StoredEntry {
  readonly sum: FiledSum | undefined
}

/** An impersonation or a permit as it is by now: the sum of its entries. */
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

/** Entries and sums that are written in one step: all or nothing. */
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

/** The outcome of a batch. */
export type Written =
  /** It is stored, now or before. */
  | { readonly is: 'stored' /** Of its first entry. */; readonly number: number }
  /** Nothing of it is stored: a sum has another version, or a slot another holder. */
  | { readonly is: 'changed' }
  /** Nothing of it is stored, or will be: the deadline was over. */
  | { readonly is: 'late' }

/** Sums and entries that may be removed. */
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
   * Present if so many rows were compared that the page ended before it was full: it looked at all rows of this
   * time and later (with `oldestFirst`, and earlier), in milliseconds since the epoch.
   */
  readonly lookedTo?: number | undefined
}

/** The part of a list that is read. */
export interface ListPage {
  readonly before?: string | undefined
  readonly limit: number
  readonly oldestFirst?: boolean | undefined
}

/** The part of the entries that is read. */
export interface EntryPage {
  /** The number of the entry before them. @defaultValue 0 */
  readonly after?: number | undefined
  readonly limit: number
}

/**
 * Keeps the audit: made by `createSqliteAudit()` and `createPostgresAudit()`. Every method rejects if the storage
 * fails. A cursor that no store can have made is refused with an error whose `statusCode` is 400.
 */
export type AuditStore = ReturnType<typeof sqlStore>
