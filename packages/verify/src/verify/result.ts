import type { AuditEntry } from '../format/entry.ts'
import type { RemovedCounts } from './removals.ts'

/** An entry of an impersonation, as it is proved. */
export interface ImpersonationEntry {
  /** In milliseconds since the epoch. */
  readonly time: number
  /** What the text says: `undefined` where it is removed, or of a newer version. */
  readonly entry: AuditEntry | undefined
  readonly isRemoved: boolean
  readonly isSealed: boolean
}

export interface Verification {
  readonly entries: number
  /** How many of them are removed. */
  readonly removed: number
  /** How many of these were erased, and of how many impersonations and permits. */
  readonly erased: RemovedCounts
  /** The id of the impersonation that the file proves; `undefined` where it has all. */
  readonly only: string | undefined
  /** Those of the impersonation that was asked for, oldest first; none where none was asked for. */
  readonly ofImpersonation: readonly ImpersonationEntry[]
  readonly rows: number
  readonly permits: number
  /** How many rows and permits could not be compared with their entries. */
  readonly unprovedRows: number
  readonly seals: number
  /** How many of them are signed with a key that is not known: later seals vouch for them. */
  readonly unknown: number
  /** How many entries have no seal, and the time of the first of them. */
  readonly unsealed: { readonly count: number; readonly since: number | undefined }
  readonly issuer: string
  /** Of the last seal, in milliseconds since the epoch. */
  readonly time: number
}
