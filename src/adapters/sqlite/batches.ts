import type { DatabaseSync } from 'node:sqlite'
import { batcher } from '../batcher.ts'
import { storageError } from '../storage-error.ts'
import { primaryCode } from './database.ts'

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

  const { run, flush } = batcher<Work, unknown>({
    size: MAX_BATCH,
    alone: async (work) => work.run(),
    async together(works) {
      const results = new Map<Work, unknown>()
      const doAll = (isWrite: boolean) => {
        for (const work of works) if (work.isWrite === isWrite) results.set(work, work.run())
      }
      doAll(false)
      if (results.size === works.length) return (work) => results.get(work)
      begin.run()
      try {
        doAll(true)
        commit.run()
      } catch (error) {
        // after some errors, such as a full disk, SQLite has undone it already
        if (database.isTransaction) rollback.run()
        throw error
      }
      return (work) => results.get(work)
    },
    tookNoEffect: concernsOne,
  })

  async function inTurn<T>(isWrite: boolean, work: () => T): Promise<T> {
    try {
      // Each work gets its own result.
      return (await run({ isWrite, run: work })) as T
    } catch (error) {
      throw error instanceof Error && 'code' in error ? storageError('SQLite', error) : error
    }
  }
  return {
    /** Does work that writes nothing. */
    read: <T>(work: () => T) => inTurn(false, work),
    /** Does work that writes. Resolves what it returns, once that is committed. */
    write: <T>(work: () => T) => inTurn(true, work),
    /** Does now what was asked for. */
    flush,
  }
}

/**
 * Whether an error is of one work, so that the others can be done: a constraint, or a record that cannot be read or
 * encoded. With a lock or a disk it would be the same for each of them, after the same time.
 */
function concernsOne(error: unknown): boolean {
  const code = primaryCode(error)
  return code === undefined ? !(error instanceof Error && 'code' in error) : CONCERN_ONE.has(code)
}

/** SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_RANGE */
const CONCERN_ONE: ReadonlySet<number> = new Set([18, 19, 20, 25])
