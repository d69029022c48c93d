import type { DatabaseSync } from 'node:sqlite'
import { batcher } from '../batcher.ts'
import { errorOfItsOwn, storageError } from '../storage-error.ts'

/**
 * How much work one batch does at most. The lock on the file, for which other processes wait, and the event loop
 * are held as long as it takes; of more, each write saves nearly nothing.
 */
export const MAX_BATCH = 64

/** Work that is one statement: a read, or a write, which is a transaction by itself. */
interface Work {
  readonly isWrite: boolean
  run(): unknown
}

/** Answers the result of work, or throws its error. */
type Outcome = () => unknown

export type SqliteBatches = ReturnType<typeof sqliteBatches>

/**
 * What is asked for in one turn of the event loop is done at the end of the turn: first the reads, then the writes
 * in one transaction, in the order in which they were asked for. The processor does the same for many requests one
 * after the other, which costs half of doing it in between.
 *
 * All of it is synchronous: nothing else of the process runs between the statements of a transaction, so that what
 * is not committed is never read.
 */
export function sqliteBatches(database: DatabaseSync) {
  // takes the lock for writing at once: a transaction that reads first may not get it later
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')

  /** Writes all, but for those that fail: they fail alone, and the others are tried again. */
  function write(works: readonly Work[], outcomes: Map<Work, Outcome>): void {
    let current: Work | undefined
    try {
      if (works.length > 1) begin.run()
      for (const work of works) {
        current = work
        const result = work.run()
        outcomes.set(work, () => result)
      }
      current = undefined
      if (works.length > 1) commit.run()
    } catch (error) {
      const failed = undo() && current ? [current] : works
      const reason = storageError('SQLite', error)
      for (const work of failed) outcomes.set(work, failing(reason))
      const others = works.filter((work) => !failed.includes(work))
      if (others.length > 0) write(others, outcomes)
    }
  }

  /** @returns false where that is not certain, as on a file that is closed */
  function undo(): boolean {
    try {
      // after some errors, such as a full disk, SQLite has undone it already
      if (database.isTransaction) rollback.run()
      return true
    } catch {
      return false
    }
  }

  const { run, flush } = batcher<Work, unknown>({
    size: MAX_BATCH,
    alone: async (work) => work.run(),
    async together(works) {
      const outcomes = new Map<Work, Outcome>()
      for (const work of works) if (!work.isWrite) outcomes.set(work, outcomeOf(work))
      write(
        works.filter(({ isWrite }) => isWrite),
        outcomes,
      )
      return async (work) => outcomes.get(work)?.()
    },
  })

  // Each work gets its own result.
  const inTurn = <T>(isWrite: boolean, work: () => T) => run({ isWrite, run: work }) as Promise<T>
  return {
    /** Does work that writes nothing. */
    read: <T>(work: () => T) => inTurn(false, work),
    /** Does work that writes. Resolves what it returns, once that is committed. */
    write: <T>(work: () => T) => inTurn(true, work),
    /** Does now what was asked for. */
    flush,
  }
}

function outcomeOf(work: Work): Outcome {
  try {
    const result = work.run()
    return () => result
  } catch (error) {
    return failing(error)
  }
}

function failing(error: unknown): Outcome {
  return () => {
    throw errorOfItsOwn(error)
  }
}
