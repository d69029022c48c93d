import type { StoredRow } from './found.ts'

/**
 * An entry that a row is made of. Repeated: how often it happened, and the time of the last, in
 * milliseconds since the epoch.
 */
export type NamedEntry = readonly [writer: string, sequence: number, count?: number, last?: number]

/** The first line of a row. More of its entries are on lines that have `entries` alone. */
export interface RowLine {
  /** Of a row that cannot be read, its id. */
  readonly row: StoredRow | { readonly id: string }
  readonly entries: readonly NamedEntry[]
}
