import type { DatabaseSync } from 'node:sqlite'
// not the global one, which tests replace by fake timers: nothing would ever resolve
import { setImmediate } from 'node:timers'
import { storageError } from '../storage-error.ts'

/**
 * How many writes one transaction serves at most. The lock on the file, for which other processes
 * wait, and the event loop are held as long as it takes; of more, each write saves nearly nothing.
 */
export const MAX_GROUP = 64

interface Write {
  /** Does the work, and returns what tells the caller of it. */
  run(): () => void
  reject(error: Error): void
}

export type SqliteWriteQueue = ReturnType<typeof sqliteWriteQueue>

/**
 * What is asked for in one turn of the event loop is done at the end of the turn: first the reads,
 * then the writes in one transaction, in the order in which they were asked for. The processor does
 * the same for many requests one after the other, which costs half of doing it in between.
 *
 * All of it is synchronous: nothing else of the process runs between the statements of a
 * transaction, so that what is not committed is never read.
 */
export function sqliteWriteQueue(database: DatabaseSync) {
  // takes the lock for writing at once: a transaction that reads first may not get it later
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  const reads: Array<() => void> = []
  const writes: Write[] = []
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      serve()
      // what is more than a group lets the process do other work first
      if (reads.length + writes.length > 0) schedule()
    })
  }

  function serve(): void {
    for (const read of reads.splice(0, MAX_GROUP)) read()
    let group = writes.splice(0, MAX_GROUP)
    while (group.length > 0) group = attempt(group)
  }

  /** @returns what to try again: the others, where a single one failed */
  function attempt(group: Write[]): Write[] {
    const answers: Array<() => void> = []
    let current: Write | undefined
    try {
      if (group.length > 1) begin.run()
      for (const write of group) {
        current = write
        answers.push(write.run())
      }
      current = undefined
      if (group.length > 1) commit.run()
    } catch (error) {
      return fail(current, group, error)
    }
    for (const answer of answers) answer()
    return []
  }

  /** Undoes all of the group. What failed rejects: one write, or all of them. */
  function fail(culprit: Write | undefined, group: Write[], error: unknown): Write[] {
    const failed = undo() && culprit ? [culprit] : group
    for (const write of failed) write.reject(storageError(error, []))
    return group.filter((write) => !failed.includes(write))
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

  return {
    /** Does work that writes nothing. */
    read<T>(work: () => T): Promise<T> {
      return new Promise((resolve, reject) => {
        reads.push(() => {
          try {
            resolve(work())
          } catch (error) {
            reject(error)
          }
        })
        schedule()
      })
    },

    /** Does work that is one statement, and so a transaction by itself. Resolves what it returns, once committed. */
    write<T>(work: () => T): Promise<T> {
      return new Promise((resolve, reject) => {
        const run = () => {
          const result = work()
          return () => resolve(result)
        }
        writes.push({ run, reject })
        schedule()
      })
    },

    /** Does now what was asked for. */
    finish(): void {
      while (reads.length + writes.length > 0) serve()
    },
  }
}
