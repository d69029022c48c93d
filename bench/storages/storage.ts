import type { Adapter } from 'oidc-provider'
import type { Pool } from 'pg'

/** Memory of the process after a garbage collection, in megabytes. */
export interface Memory {
  readonly rss: number
  readonly heap: number
}

/** What a store holds after its last clean-up. */
export interface Left {
  /** Expired records that the last clean-up removed. */
  readonly removed: number
  /** Records that have expired, or never do, and are still there. */
  readonly expired: number
  /** Records that are live. */
  readonly live: number
}

/** Processor time in microseconds. Without a storage server it is in that of the process. */
export type StorageCpu = number | 'unknown' | 'in process'

/** What a storage has done since it was opened. */
export interface StorageUse {
  /** Processor time of what works for this process alone: the backends of its connections. */
  readonly own: StorageCpu
  /** Processor time of what works for all processes: Redis, the writers of PostgreSQL. */
  readonly common: StorageCpu
  /** Statements that the adapter sent; absent where there are none. */
  readonly statements?: number | undefined
}

/** Where the audit of a soak goes: only appended to. */
export interface AuditStore {
  append(entries: readonly AuditEntry[]): Promise<void>
  /** How many events of each name are stored. */
  count(): Promise<Readonly<Record<string, number>>>
}

export interface AuditEntry {
  readonly name: string
  /** JSON. */
  readonly event: string
}

export interface Storage {
  readonly adapter: (model: string) => Adapter
  /** Puts that many live subject tokens of this issuer into the store. */
  fill(count: number, issuer: string): Promise<void>
  use(): Promise<StorageUse>
  /** Removes what has expired, and counts what is left. On memory, it removes all of that. */
  left(): Promise<Left>
  /** Opens a store for the audit beside the records; {@link Storage.empty} removes it too. */
  audit(): Promise<AuditStore>
  /** For the audit of the console, on PostgreSQL; {@link Storage.empty} removes its tables too. */
  auditPool?(): Promise<Pool>
  /** Removes everything that the benchmark put there; only {@link close} may follow. */
  empty(): Promise<void>
  close(): Promise<void>
}

export interface StorageOptions {
  /** The Redis database. */
  readonly database?: number | undefined
  /** Tells this store from those of other processes, which share it by the same name. */
  readonly name?: string | undefined
  /** How many connections to PostgreSQL a process may open. */
  readonly poolSize?: number | undefined
}
