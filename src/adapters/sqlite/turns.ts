import type { DatabaseSync } from 'node:sqlite'
// Not the global one, which tests replace by fake timers. Nothing would ever resolve then.
import { setImmediate } from 'node:timers'
import { errorOfItsOwn, storageError } from '../storage-error.ts'

interface Waiting {
  readonly isWrite: boolean
  /** Does the work, and returns a function that resolves its promise. */
  run(): () => void
  reject(error: unknown): void
}

export type SqliteTurns = ReturnType<typeof sqliteTurns>

/**
 * Runs the calls of each turn of the event loop at its end: the reads, then the writes in their
 * order and in one transaction. The processor does the same for many requests one after the other,
 * which costs half of doing it in between. All of it is synchronous, so that no read sees an
 * uncommitted write.
 */
export function sqliteTurns(database: DatabaseSync) {
  const isInTransaction = () => database.isOpen && database.isTransaction
  let waiting: Waiting[] = []

  function runAll(): void {
    const writes = waiting.filter(({ isWrite }) => isWrite)
    const reads = waiting.filter(({ isWrite }) => !isWrite)
    waiting = []
    const settle = reads.map(attempt)
    try {
      // Takes the lock for writing at once, because a transaction that reads first may not get it
      // later.
      if (writes.length > 1) database.exec('BEGIN IMMEDIATE')
      const written = writes.map(attempt)
      if (writes.length > 1) database.exec('COMMIT')
      settle.push(...written)
    } catch (error) {
      // After some errors, such as a full disk, SQLite has undone the transaction already.
      if (isInTransaction()) database.exec('ROLLBACK')
      for (const { reject } of writes) reject(errorOfItsOwn(asStorageError(error)))
    }
    for (const each of settle) each()
  }

  /** A statement that fails undoes itself alone. */
  function attempt({ isWrite, run, reject }: Waiting): () => void {
    try {
      return run()
    } catch (error) {
      if (isWrite && !isInTransaction()) throw error
      return () => reject(asStorageError(error))
    }
  }

  function inTurn<T>(isWrite: boolean, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        const result = work()
        return () => resolve(result)
      }
      if (waiting.push({ isWrite, run, reject }) === 1) setImmediate(runAll)
    })
  }

  return {
    read: <T>(work: () => T) => inTurn(false, work),
    /** Resolves the result of the work, once that is committed. */
    write: <T>(work: () => T) => inTurn(true, work),
    /** Runs the waiting calls now. */
    flush: runAll,
  }
}

function asStorageError(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? storageError('SQLite', error) : error
}
