import type { AuditEntry } from './entry.ts'

/** An entry and its cursor. */
export interface StoredEntry {
  /** Opaque outside the store. URLs contain it without escaping. */
  readonly cursor: string
  readonly entry: AuditEntry
}

/** A place in a store. */
export interface Place {
  readonly cursor: string
  /** `undefined` if this version cannot read the entry. */
  readonly entry: AuditEntry | undefined
}

export function isReadable(place: Place): place is StoredEntry {
  return place.entry !== undefined
}

/** One entry to store, and how often the event happened. */
export interface AuditRecord {
  readonly entry: AuditEntry
  /**
   * The same for all events that become one entry; `undefined` for an event that is not counted.
   */
  readonly repeatKey: string | undefined
  /** How often the event happened: 1 or more. */
  readonly count: number
  /** Time of the last event, in milliseconds since the epoch. */
  readonly lastTime: number
}

/** Records that are written in one step: all or none. */
export interface Batch {
  /** The name of the recorder that writes the batch. Each recorder has its own name. */
  readonly writer: string
  /** Starts at 1. Each batch of a writer has a greater number than the one before. */
  readonly number: number
  /** In order. Each `repeatKey` appears once. */
  readonly records: readonly AuditRecord[]
}

/**
 * What a reader needs. There are many requests to APIs: without them, a store need not read past
 * them, but it may.
 */
export type Needed = 'all' | 'without requests'

/**
 * Entries in the order in which they were stored. A stored entry changes in one way only: a
 * repeated event raises the count of the entry with the same `repeatKey`. This entry keeps its
 * place and its cursor. From the second event on, it has `entry.count` and `entry.lastTime`.
 */
export interface AuditStore {
  /**
   * Writes a batch. The same batch written again changes nothing, so a write with an unknown result
   * can be repeated.
   */
  append(batch: Batch): Promise<void>

  /**
   * Returns the newest `limit` entries older than the cursor (or of all), newest first.
   *
   * @throws Problem 400 when the cursor is malformed.
   */
  before(cursor: string | undefined, limit: number, needed?: Needed): Promise<readonly Place[]>

  /**
   * Returns the oldest `limit` entries newer than the cursor (or of all), oldest first. A reader
   * that continues from the last cursor misses no entry of any process. It does not see a later
   * count of an entry that it has passed.
   *
   * @throws Problem 400 when the cursor is malformed.
   */
  after(cursor: string | undefined, limit: number, needed?: Needed): Promise<readonly Place[]>
}
