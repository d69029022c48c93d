import type { DatabaseSync, StatementSync } from 'node:sqlite'
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

/**
 * What is asked for in one turn of the event loop is done at the end of the turn: first the reads,
 * then the writes in one transaction, in the order in which they were asked for. The processor does
 * the same for many requests one after the other, which costs half of doing it in between.
 *
 * All of it is synchronous: nothing else of the process runs between the statements of a
 * transaction, so that what is not committed is never read.
 */
export class SqliteWriteQueue {
  readonly #database: DatabaseSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #rollback: StatementSync
  #reads: Array<() => void> = []
  #writes: Write[] = []
  #isScheduled = false

  constructor(database: DatabaseSync) {
    this.#database = database
    // takes the lock for writing at once: a transaction that reads first may not get it later
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#rollback = database.prepare('ROLLBACK')
  }

  /** Does work that writes nothing. */
  read<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reads.push(() => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      })
      this.#schedule()
    })
  }

  /** Does work that is one statement, and so a transaction by itself. Resolves what it returns, once committed. */
  write<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        const result = work()
        return () => resolve(result)
      }
      this.#writes.push({ run, reject })
      this.#schedule()
    })
  }

  /** Does now what was asked for. */
  finish(): void {
    while (this.#reads.length + this.#writes.length > 0) this.#serve()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#serve()
      // what is more than a group lets the process do other work first
      if (this.#reads.length + this.#writes.length > 0) this.#schedule()
    })
  }

  #serve(): void {
    for (const read of this.#reads.splice(0, MAX_GROUP)) read()
    let group = this.#writes.splice(0, MAX_GROUP)
    while (group.length > 0) group = this.#attempt(group)
  }

  /** @returns what to try again: the others, where a single one failed */
  #attempt(group: Write[]): Write[] {
    const answers: Array<() => void> = []
    let current: Write | undefined
    try {
      if (group.length > 1) this.#begin.run()
      for (const write of group) {
        current = write
        answers.push(write.run())
      }
      current = undefined
      if (group.length > 1) this.#commit.run()
    } catch (error) {
      return this.#fail(current, group, error)
    }
    for (const answer of answers) answer()
    return []
  }

  /** Undoes all of the group. What failed rejects: one write, or all of them. */
  #fail(culprit: Write | undefined, group: Write[], error: unknown): Write[] {
    const failed = this.#undo() && culprit ? [culprit] : group
    for (const write of failed) write.reject(storageError(error, []))
    return group.filter((write) => !failed.includes(write))
  }

  /** @returns false where that is not certain, as on a file that is closed */
  #undo(): boolean {
    try {
      // after some errors, such as a full disk, SQLite has undone it already
      if (this.#database.isTransaction) this.#rollback.run()
      return true
    } catch {
      return false
    }
  }
}
