import type { ImpersonationEvent } from '../../src/index.ts'

/** The plugin's events of an impersonation. */
export const PLUGIN_EVENTS = [
  'impersonation.issued',
  'impersonation.granted',
  'impersonation.denied',
  'impersonation.replayed',
] as const

/** Those, and two of the example's own. */
export const AUDIT_EVENTS = [
  ...PLUGIN_EVENTS,
  // The backend itself refused an operator's request to act, before the provider heard of it.
  'support.refused',
  // An operator said that they are done.
  'support.ended',
] as const

export type AuditEventName = (typeof AUDIT_EVENTS)[number]

/**
 * One thing that happened, with the members of docs/events.md. No entry holds the value of a token.
 *
 * `support.refused` has `actor`, `denial`, and `subject`, `scope` and `context` if the request could
 * be read. `support.ended` has `id`, `jti`, `subject`, `actor` and `context` of the
 * `impersonation.granted` that it ends, and `grantedAt`.
 */
export interface AuditEntry extends ImpersonationEvent {
  readonly event: AuditEventName
  /** Of `support.ended`: when it was granted, in milliseconds since the epoch. */
  readonly grantedAt?: number | undefined
}

/** An entry in its place. */
export interface StoredEntry {
  /** Opaque to everybody but the store. It goes into URLs as it is. */
  readonly cursor: string
  readonly entry: AuditEntry
}

/** A place in a store. */
export interface Place {
  readonly cursor: string
  /** `undefined` where this version cannot read what is there. */
  readonly entry: AuditEntry | undefined
}

export function isReadable(place: Place): place is StoredEntry {
  return place.entry !== undefined
}

/** Entries in the order in which they were stored: appended, never changed. */
export interface AuditStore {
  append(entry: AuditEntry): Promise<void>

  /**
   * The newest `limit` entries older than the cursor (or of all), newest first.
   *
   * @throws Problem 400 when the cursor is malformed.
   */
  before(cursor: string | undefined, limit: number): Promise<readonly Place[]>

  /**
   * The oldest `limit` entries newer than the cursor (or of all), oldest first. Who goes on from
   * the last cursor misses none, whichever process stores them.
   *
   * @throws Problem 400 when the cursor is malformed.
   */
  after(cursor: string | undefined, limit: number): Promise<readonly Place[]>
}

const NAMES: ReadonlySet<unknown> = new Set(AUDIT_EVENTS)

export function isAuditEvent(name: unknown): name is AuditEventName {
  return NAMES.has(name)
}

/** JSON escapes what some databases refuse: NUL, and halves of surrogate pairs. */
export function encodeEntry(entry: AuditEntry): string {
  return JSON.stringify(entry)
}
