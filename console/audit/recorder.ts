import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { reasonOf } from '../reason.ts'
import type { AuditEntry } from './entry.ts'
import { complain, lineOf, tell } from './log-line.ts'
import { countRepeats } from './repeats.ts'
import { type Room, room } from './room.ts'
import type { AuditStore } from './store.ts'

/** Records events on stdout and in the store. */
export interface Recorder {
  /**
   * Never rejects. Resolves when the entry is stored, or when stderr says that it is not. An entry
   * without subject, actor and issuedTo is only in the log, and resolves at once. If the store
   * fails, the recorder tries again until the store works. It gives up an entry only at the end of
   * the process.
   */
  record(entry: AuditEntry): Promise<void>
  /** Resolves when all earlier entries are stored, or are known to be lost. */
  settled(): Promise<void>
  /**
   * A request that makes an entry waits here first. I13: an event is never refused, so only a
   * request that has not begun can be refused.
   */
  readonly room: Pick<Room, 'isFree' | 'wait'>
  /** Stores the remaining entries. Later entries are only in the log. */
  close(): Promise<void>
}

export interface RecorderOptions {
  /**
   * There is room while fewer entries than this wait for the store. The number can be larger only
   * because of requests that were already accepted.
   * @defaultValue 1000
   */
  readonly bound?: number
  /**
   * How long the last entries may take at the end of the process, in milliseconds.
   * @defaultValue 10 seconds
   */
  readonly patience?: number
  /**
   * Pauses before a failed write is repeated, in milliseconds. Each is longer than the one before.
   */
  readonly pauses?: readonly [number, ...number[]]
}

/** Number of entries per write. */
const GROUP = 1000

/** Entries that are written in one batch. */
interface Group {
  readonly number: number
  readonly entries: AuditEntry[]
  /** Resolves when the entries are stored, or are known to be lost. */
  readonly done: PromiseWithResolvers<void>
}

/** @param stored the function to call after new entries are stored */
export function recorder(
  store: AuditStore,
  stored: () => void,
  { bound = 1000, patience = 10_000, pauses = [50, 100, 250, 500, 1000] }: RecorderOptions = {},
): Recorder {
  const writer = randomUUID()
  /** In order. The store is writing the first one. */
  const groups: Group[] = []
  const over = new AbortController()
  let numbers = 0
  let backlog = 0
  /** The reason why the store fails, while it fails. */
  let trouble: string | undefined
  const free = room(() => backlog < bound)

  function groupToFill(): Group {
    const last = groups.at(-1)
    if (last && groups.length > 1 && last.entries.length < GROUP) return last
    numbers += 1
    const group = { number: numbers, entries: [], done: Promise.withResolvers<void>() }
    groups.push(group)
    return group
  }

  /** Writes one group after the other. This keeps the order and needs only one connection. */
  async function writeAll(): Promise<void> {
    for (let group = groups[0]; group; group = groups[0]) {
      await write(group)
      groups.shift()
      backlog -= group.entries.length
      group.done.resolve()
      free.changed()
    }
  }

  async function write({ number, entries }: Group): Promise<void> {
    const batch = { writer, number, records: countRepeats(entries) }
    for (let failures = 0; !over.signal.aborted; failures += 1) {
      try {
        if (!(await untilOver(store.append(batch)))) break
        if (trouble !== undefined) tell('the storage takes entries again')
        trouble = undefined
        stored()
        return
      } catch (error) {
        const reason = reasonOf(error)
        if (trouble === undefined) tell(`the storage takes no entries, they wait: ${reason}`)
        trouble = reason
        const pause = pauses[Math.min(failures, pauses.length - 1)] ?? pauses[0]
        await wait(pause, undefined, { signal: over.signal }).catch(() => {})
      }
    }
    for (const entry of entries) complain(entry, trouble ?? 'it did not answer before the end')
  }

  /**
   * Returns `false` at the end of the process: a store that never answers must not block the end.
   */
  async function untilOver(work: Promise<void>): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const end = () => resolve(false)
    over.signal.addEventListener('abort', end, { once: true })
    try {
      return await Promise.race([work.then(() => true), promise])
    } finally {
      over.signal.removeEventListener('abort', end)
    }
  }

  return {
    room: free,
    async record(entry) {
      console.log(lineOf(entry))
      if (!isNamed(entry)) return
      if (over.signal.aborted) {
        complain(entry, 'the storage is closed')
        return
      }
      const { entries, done } = groupToFill()
      entries.push(entry)
      backlog += 1
      if (backlog === 1) void writeAll()
      await done.promise
    },
    settled: async () => groups.at(-1)?.done.promise,
    async close() {
      const timer = setTimeout(() => over.abort(), patience)
      while (groups.length > 0) await groups.at(-1)?.done.promise
      clearTimeout(timer)
      over.abort()
    },
  }
}

/**
 * An entry without these members has nothing to search by and stays in the log. Such an entry needs
 * no credential: garbage at the exchange of a public client makes one. Many of them would hide the
 * real events, or push them out of a full store.
 */
function isNamed({ subject, actor, issuedTo }: AuditEntry): boolean {
  return subject !== undefined || actor !== undefined || issuedTo !== undefined
}
