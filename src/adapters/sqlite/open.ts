import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/**
 * Memory for pages at most, in KiB; SQLite's own default is 2000. Reads from a large file cost less
 * with more of it, and writes cost more: a commit goes through the pages in memory.
 */
const CACHE_KIB = 8000

/**
 * Opens the file, readable by its owner alone if it is new.
 *
 * @param busyTimeoutMs how long a statement waits for the lock of another process, in milliseconds
 * @throws Error when the file cannot be opened
 */
export function openFile(file: string, busyTimeoutMs: number): DatabaseSync {
  // SQLite would let everyone read it. Its -wal and -shm files take their mode from it.
  if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file)
  // Comes first: the next statements then wait for other processes that are starting.
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  return database
}

/** @param synchronous `'FULL'`: each commit survives a loss of power */
export function tune(database: DatabaseSync, synchronous: 'NORMAL' | 'FULL'): void {
  database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA cache_size = -${CACHE_KIB}`)
}

/** Whether another process has the lock: SQLITE_BUSY or SQLITE_LOCKED. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error)
  return code === 5 || code === 6
}

/** The result code of an error of SQLite: of an extended code, its last byte. */
export function primaryCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
}
