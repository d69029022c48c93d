import { setTimeout as wait } from 'node:timers/promises'
import { reasonOf } from '../reason.ts'
import { batches } from './batches.ts'
import { type AuditEntry, decodeEntry } from './entry.ts'
import { complain, lineOf, tell } from './log-line.ts'
import { type NameOf, naming } from './names.ts'
import { type Room, room } from './room.ts'
import type { AuditStore, Batch } from './store.ts'

/** Records events on stdout and in the store. */
export interface Recorder {
  /** The name of its chain. */
  readonly writer: string
  /**
   * Never rejects. Resolves when the entry is stored, or when stderr says that it is not. An entry
   * that names no account and no client is only in the log, and resolves at once. If the store fails,
   * the recorder tries again until the store works. It gives up an entry only at the end of the
   * process.
   */
  record(entry: AuditEntry): Promise<void>
  /** Resolves when all earlier entries are stored, or are known to be lost. */
  settled(): Promise<void>
  /**
   * A request that makes an entry waits here first. I13: an event is never refused, so only a request
   * that has not begun can be refused.
   */
  readonly room: Pick<Room, 'isFree' | 'wait'>
  /** Stores the remaining entries. Later entries are only in the log. */
  close(): Promise<void>
}

export interface RecorderOptions {
  /** Names customers and operators when an entry is recorded. */
  readonly nameOf?: NameOf | undefined
  /** Called after a batch is stored. Must not throw. */
  readonly stored?: ((batch: Batch) => void) | undefined
  /**
   * There is room while fewer entries than this wait for the store. The number can be larger only
   * because of requests that were already accepted.
   * @defaultValue 1000
   */
  readonly bound?: number | undefined
  /**
   * How long the last entries may take at the end of the process, in milliseconds.
   * @defaultValue 10 seconds
   */
  readonly patience?: number | undefined
  /**
   * Pauses before a failed write is repeated, in milliseconds. Each is longer than the one before.
   */
  readonly pauses?: readonly [number, ...number[]] | undefined
}

/** Number of entries per write. */
const GROUP = 1000

/** Entries that are written in one batch. */
interface Group {
  readonly entries: AuditEntry[]
  /** The same entries with names. None rejects. */
  readonly named: Promise<AuditEntry>[]
  /** Resolves when the entries are stored, or are known to be lost. */
  readonly done: PromiseWithResolvers<void>
}

export function recorder(
  store: Pick<AuditStore, 'append'>,
  {
    nameOf,
    stored = () => {},
    bound = 1000,
    patience = 10_000,
    pauses = [50, 100, 250, 500, 1000],
  }: RecorderOptions = {},
): Recorder {
  const { writer, next } = batches()
  const addNames = naming(nameOf)
  /** In order. The store is writing the first one. */
  const groups: Group[] = []
  const over = new AbortController()
  let backlog = 0
  /** The reason why the store fails, while it fails. */
  let trouble: string | undefined
  const free = room(() => backlog < bound)

  function groupToFill(): Group {
    const last = groups.at(-1)
    if (last && groups.length > 1 && last.entries.length < GROUP) return last
    const group: Group = { entries: [], named: [], done: Promise.withResolvers<void>() }
    groups.push(group)
    return group
  }

  /** Writes one group after the other. This keeps the order and needs only one connection. */
  async function writeAll(): Promise<void> {
    for (let group = groups[0]; group; group = groups[0]) {
      const batch = await write(group)
      groups.shift()
      backlog -= group.entries.length
      if (batch) stored(batch)
      group.done.resolve()
      free.changed()
    }
  }

  /** Returns what is stored. The same batch is written until the store says that it has it. */
  async function write({ entries, named }: Group): Promise<Batch | undefined> {
    const whole = await untilOver(Promise.all(named))
    const batch = whole && next(whole)
    for (let failures = 0; batch && !over.signal.aborted; failures += 1) {
      try {
        if (!(await untilOver(store.append(batch).then(() => true)))) break
        if (trouble !== undefined) tell('the storage takes entries again')
        trouble = undefined
        return batch
      } catch (error) {
        const reason = reasonOf(error)
        if (trouble === undefined) tell(`the storage takes no entries, they wait: ${reason}`)
        trouble = reason
        const pause = pauses[Math.min(failures, pauses.length - 1)] ?? pauses[0]
        await wait(pause, undefined, { signal: over.signal }).catch(() => {})
      }
    }
    for (const entry of entries) complain(entry, trouble ?? 'it did not answer before the end')
    return undefined
  }

  /**
   * Resolves `undefined` at the end of the process: what never answers must not block the end.
   */
  async function untilOver<T>(work: Promise<T>): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const end = () => resolve(undefined)
    over.signal.addEventListener('abort', end, { once: true })
    if (over.signal.aborted) end()
    try {
      return await Promise.race([work, promise])
    } finally {
      over.signal.removeEventListener('abort', end)
    }
  }

  return {
    writer,
    room: free,
    async record(told) {
      const entry = print(told)
      if (!entry || !isNamed(entry)) return
      if (over.signal.aborted) {
        complain(entry, 'the storage is closed')
        return
      }
      const { entries, named, done } = groupToFill()
      entries.push(entry)
      named.push(addNames(entry))
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

/** Prints the entry. Returns a copy: code of the deployment may still change what it told. */
function print(told: AuditEntry): AuditEntry | undefined {
  try {
    const line = lineOf(told)
    console.log(line)
    const entry = decodeEntry(line)
    if (!entry) tell('an entry is only in the log: it has no event that is known, or no time')
    return entry
  } catch (error) {
    tell(`an entry could not be written as JSON, and is lost: ${reasonOf(error)}`)
    return undefined
  }
}

/**
 * An entry without these members has nothing to search by and stays in the log. Such an entry needs
 * no credential: garbage at the exchange of a public client makes one. Many of them would hide the
 * real events, or push them out of a full store.
 */
function isNamed({ subject, actor, issuedTo, by }: AuditEntry): boolean {
  return [subject, actor, issuedTo, by].some((member) => member !== undefined)
}
