import { setTimeout as wait } from 'node:timers/promises'
import { reasonOf } from '../start-error.ts'
import { type AuditEntry, type AuditStore, encodeEntry } from './entry.ts'

/** Writes down what happens: on stdout, and in the store. */
export interface Recorder {
  /**
   * Never rejects, and resolves when the entry is stored, or stderr says that it is not; at once for
   * one that names nobody, which is in the log alone. Nobody has to wait for it.
   */
  record(entry: AuditEntry): Promise<void>
  /** Resolves when everything is stored that was recorded before, or is known not to be. */
  settled(): Promise<void>
  /** Stores what is left to store. What is recorded later is in the log alone. */
  close(): Promise<void>
}

/** So many entries may wait for a store that is slow. */
const MOST_WAITING = 1000
/** How long the last entries may take at the end, in milliseconds. */
const PATIENCE = 10_000

/** @param stored called whenever there is a new entry */
export function recorder(store: AuditStore, stored: () => void): Recorder {
  let waiting = 0
  let isClosed = false
  // One after the other: that is their order, and one connection is enough.
  let last: Promise<void> = Promise.resolve()

  async function append(entry: AuditEntry): Promise<void> {
    try {
      if (isClosed) throw new Error('the storage is closed')
      await store.append(entry)
      stored()
    } catch (error) {
      complain(entry, reasonOf(error))
    }
    waiting -= 1
  }

  return {
    async record(entry) {
      console.log(lineOf(entry))
      if (!namesAnybody(entry)) return
      if (isClosed || waiting >= MOST_WAITING) {
        complain(entry, isClosed ? 'the storage is closed' : 'too many are waiting')
        return
      }
      waiting += 1
      last = last.then(() => append(entry))
      await last
    },
    settled: () => last,
    async close() {
      await Promise.race([last, wait(PATIENCE, undefined, { ref: false })])
      isClosed = true
    },
  }
}

/**
 * What names nobody stays in the log. Anybody can cause it, without a credential, by presenting what
 * is no token to a public client's exchange: as often as they like, until what did happen is too far
 * back to be found, or forgotten where the store is full. And nobody would find it: it has nothing
 * to search by.
 */
function namesAnybody({ subject, actor, issuedTo }: AuditEntry): boolean {
  return subject !== undefined || actor !== undefined || issuedTo !== undefined
}

function complain({ event, time }: AuditEntry, reason: string): void {
  const line = `audit: ${event} at ${time} is only in the log, it could not be stored: ${reason}`
  console.error(withoutControls(line))
}

/** One line of JSON. */
function lineOf(entry: AuditEntry): string {
  return withoutControls(encodeEntry(entry))
}

/** JSON leaves DEL and C1 control characters as they are, which a terminal may obey. */
function withoutControls(line: string): string {
  return line.replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed.
    /[\0-\x1f\x7f-\x9f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
