import type { DatabaseSync } from 'node:sqlite'
// Not the global one, which tests replace by fake timers. Nothing would ever resolve then.
import { setImmediate } from 'node:timers'
import { errorOfItsOwn, storageError } from '../storage-error.ts'

interface Waiting {
  run(): number
  resolve(changes: number): void
  reject(error: unknown): void
}

export type SqliteTurns = ReturnType<typeof sqliteTurns>

/**
 * Does the writes of one turn of the event loop at its end, in their order and in one transaction. All of
 * it is synchronous, so that no read sees what is not committed.
 */
export function sqliteTurns(database: DatabaseSync) {
  // Takes the lock for writing at once: a transaction that reads first may not get it later.
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  const isInTransaction = () => database.isOpen && database.isTransaction
  let waiting: Waiting[] = []

  function runAll(): void {
    const writes = waiting
    waiting = []
    try {
      if (writes.length > 1) begin.run()
      const settle = writes.map(attemptOne)
      if (writes.length > 1) commit.run()
      for (const each of settle) each()
    } catch (error) {
      // After some errors, such as a full disk, SQLite has undone the transaction already.
      if (isInTransaction()) rollback.run()
      for (const { reject } of writes) reject(errorOfItsOwn(asStorageError(error)))
    }
  }

  /** A statement that fails undoes itself alone. */
  function attemptOne({ run, resolve, reject }: Waiting): () => void {
    try {
      const changes = run()
      return () => resolve(changes)
    } catch (error) {
      if (!isInTransaction()) throw error
      return () => reject(asStorageError(error))
    }
  }

  return {
    /** Resolves how many rows changed, once that is committed. */
    write: (run: () => number) =>
      new Promise<number>((resolve, reject) => {
        if (waiting.push({ run, resolve, reject }) === 1) setImmediate(runAll)
      }),
    /** Does now what waits. */
    flush: runAll,
  }
}

/**
 * Does at once what reads.
 *
 * @throws StorageError when SQLite fails
 */
export async function attempt<T>(work: () => T): Promise<T> {
  try {
    return work()
  } catch (error) {
    throw asStorageError(error)
  }
}

function asStorageError(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? storageError('SQLite', error) : error
}
