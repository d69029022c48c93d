import {
  type AuditEntry,
  ERASED_EVENT,
  type StoredPermit,
} from 'oidc-provider-impersonation-verify/format'

/**
 * A link of a chain: each recorder (a process) has one chain. `hash` is the SHA-256, base64url, of
 * the hash before, a line feed, and `digest`: see `hashOf`. Before the first link stands the name of
 * the writer.
 */
export interface ChainLink {
  /** 1 for the first entry of a writer, and one more for each next. */
  readonly sequence: number
  /** The entry as JSON in ASCII, as it is stored and hashed. */
  readonly text: string
  /** Of `text`, with the time of the entry: see `entryDigestOf`. It is kept when the text is removed. */
  readonly digest: string
  readonly hash: string
}

/** A new entry. */
export interface NewRecord extends ChainLink {
  readonly entry: AuditEntry
  /**
   * The row that the entry belongs to: 1 to 64 of the characters A-Z, a-z, 0-9, - and _. `undefined`
   * for an entry that is about no impersonation.
   */
  readonly row: string | undefined
  /**
   * Names the entry, so that repetitions of the event can raise its count. Unique in the store; at
   * most 128 characters of ASCII.
   */
  readonly repeatKey: string | undefined
}

/** The first entry of a chain, and what says that something was erased, where they have no row. */
export function isKeptForEver({ row, sequence, entry }: NewRecord): boolean {
  return row === undefined && (sequence === 1 || entry.event === ERASED_EVENT)
}

/**
 * More events of the same kind as an entry that the same writer has appended before (or before in
 * the same batch). They raise its count, and are outside the chain.
 */
export interface Repetition {
  readonly repeatKey: string
  readonly row: string | undefined
  /** One of the events. */
  readonly entry: AuditEntry
  /** How often it happened again: 1 or more. */
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
  /** In the order of their sequence, and without a gap after those of the batch before. */
  readonly records: readonly NewRecord[]
  /** Stored after `records`. */
  readonly repetitions: readonly Repetition[]
}

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
