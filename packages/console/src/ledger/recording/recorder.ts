import { endsWithin } from 'oidc-provider-impersonation/siblings'
import { digestOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  alarmKindOf,
  ERASED_EVENT,
  MISLABELLED_EVENT,
  present,
  reasonOf,
  SET_ASIDE,
  type ToTell,
  USED_EVENT,
} from 'oidc-provider-impersonation-verify/format'
import { complain, lineOf, log } from '../../kernel/log-line.ts'
import { untilAborted } from '../../kernel/until-aborted.ts'
import { tellDeployment } from '../to-tell.ts'
import { newEntryId, type Pending, setAsideEntry } from './compose.ts'
import type { Log } from './log.ts'
import { type NameOf, naming } from './names.ts'
import { type ParsedUse, parseEntry } from './parse-entry.ts'
import { repetitions } from './repetitions.ts'

/** Records events on stdout and in the store. */
export type Recorder = ReturnType<typeof recorder>

export interface RecorderOptions {
  /** Names customers and operators when an entry is recorded. */
  readonly nameOf?: NameOf | undefined
  /** Marks of impersonations that start: their customers are to be told. */
  readonly notify?: readonly ToTell[] | undefined
  /** Tells the deployment of alarms. */
  readonly alerts?: boolean | undefined
  /**
   * There is capacity while fewer entries than this wait for the store. The number can be larger only
   * because of requests that were already accepted.
   * @defaultValue 1000
   */
  readonly bound?: number | undefined
  /**
   * Time limit of the store for a write, in milliseconds: later, it counts as one that does not
   * answer.
   * @defaultValue 2 seconds
   */
  readonly slow?: number | undefined
  /** Time limit of the directory for a name, in milliseconds: see `naming`. */
  readonly nameTimeoutMs?: number | undefined
  /**
   * Time limit of the last entries at the end of the process, in milliseconds.
   * @defaultValue 10 seconds
   */
  readonly timeoutMs?: number | undefined
  /** The clock by which repetitions are counted, in milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
}

/** An entry that waits for the store. */
interface Waiting extends Pending {
  readonly named: Promise<AuditEntry>
  readonly done: (isStored: boolean) => void
}

/** Number of entries per write. */
const ENTRIES_PER_WRITE = 1000

/** Time between two looks at what was counted, in milliseconds. */
const COUNTED_EVERY_MS = 60_000

export function recorder(
  { append, isTroubled }: Log,
  {
    nameOf,
    notify,
    alerts = false,
    bound = 1000,
    slow = 2000,
    nameTimeoutMs,
    timeoutMs = 10_000,
    now,
  }: RecorderOptions = {},
) {
  const over = new AbortController()
  const repeated = repetitions(now)
  const addNames = naming(nameOf, nameTimeoutMs)
  let backlog = 0
  /** When the store was handed what it is writing, by the monotonic clock. */
  let writingSince: number | undefined
  /** Resolves once there is capacity again. */
  let freed = Promise.withResolvers<void>()

  function isFree(): boolean {
    const isSlow = writingSince !== undefined && performance.now() - writingSince > slow
    return backlog < bound && !isTroubled() && !isSlow
  }

  const waiting: Waiting[] = []
  let isWriting = false

  /**
   * Writes one group after the other: meanwhile the next one gathers. This keeps the order and needs only one
   * connection.
   */
  async function writeAll(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, ENTRIES_PER_WRITE)
      const named = await untilAborted(Promise.all(group.map((one) => one.named)), over.signal)
      writingSince = performance.now()
      const pending = group.map(({ id, entry }, at) => ({ id, entry: named?.[at] ?? entry }))
      const stored = await append(pending, over.signal)
      writingSince = undefined
      backlog -= group.length
      if (isFree()) {
        freed.resolve()
        freed = Promise.withResolvers()
      }
      for (const [at, { done }] of group.entries()) done(stored[at] === true)
    }
    isWriting = false
  }
  /** Resolves when all that was kept is stored, or is known to be lost. */
  let last: Promise<unknown> = Promise.resolve()

  function marked(entry: AuditEntry): AuditEntry {
    const isStart = entry.event === 'impersonation.started'
    const told = isStart && notify ? { ...entry, toTell: notify } : entry
    return alerts ? tellDeployment(told, alarmKindOf(told)) : told
  }

  /** Resolves with true if the store has the entry as it was told. */
  async function keep(given: AuditEntry, id = newEntryId()): Promise<boolean> {
    const entry = marked(given)
    if (over.signal.aborted) {
      complain(entry, 'the storage is closed')
      return false
    }
    backlog += 1
    const { promise, resolve: done } = Promise.withResolvers<boolean>()
    waiting.push({ id, entry, named: addNames(entry), done })
    if (!isWriting) void writeAll()
    last = promise
    return promise
  }

  async function keepCounted(isEnd: boolean): Promise<void> {
    await Promise.all(repeated.due(isEnd).map((entry) => keep(entry)))
  }
  const counting = setInterval(() => void keepCounted(false), COUNTED_EVERY_MS).unref()

  return {
    /**
     * Returns true if there is capacity. Nothing acts before it is recorded (I13): an event is never refused, so only a
     * request that has not begun can be refused. There is no capacity where too many entries wait, and while the
     * store fails or does not answer: what would be done then would be ended again.
     */
    isFree,
    /** A request that makes an entry waits here first. Resolves whether there is capacity within that many milliseconds. */
    async waitUntilFree(mostMs: number): Promise<boolean> {
      return isFree() || endsWithin(mostMs, freed.promise)
    },
    /**
     * Never rejects. Resolves when the entry is stored, or when stderr says that it is not. An entry
     * that names no account and no client is only in the log, and resolves at once. So is a start that
     * needs an approval first: nothing was refused, and what is asked for then has entries of its own. If the store
     * fails, the recorder tries again until the store works. It gives up an entry only at the end of the process.
     */
    async record(reported: AuditEntry): Promise<void> {
      const entry = print(reported)
      if (isKept(entry) && !repeated.isCounted(entry)) await keep(entry)
    },
    /** The same, for a use that was read already. */
    async recordUse({ timeMs, id, userId, actor, software, client, ...use }: ParsedUse) {
      const who = present({ id, userId, actor, software, client })
      const entry: AuditEntry = { event: USED_EVENT, timeMs, ...who, use }
      console.log(lineOf(entry))
      if (!repeated.isCounted(entry)) await keep(entry)
    },
    /**
     * The same as `record`, for what must not happen without its entry.
     *
     * @param id of the entry: `newEntryId()`. With the id of an entry that is stored, it does nothing
     * @throws Error where the entry is not stored as it was told: it was set aside, or given up
     */
    async recordSurely(reported: AuditEntry, id?: string): Promise<void> {
      const entry = print(reported)
      const isStored = isKept(entry) && (await keep(entry, id))
      // One bad entry stops nothing (I17): what is set aside leaves a word. That is not enough to act.
      if (!isStored || entry.event !== reported.event) throw new Error('the audit did not store it')
    },
    /**
     * Stores an entry of a restart or of a delivery unless its row or permit has what it says. It is in the log once
     * it is stored. Never rejects.
     *
     * @returns whether this call stored it
     */
    async recordMissing(entry: AuditEntry): Promise<boolean> {
      const isStored = await keep(entry)
      if (isStored) console.log(lineOf(entry))
      return isStored
    },
    /** Resolves when all earlier entries are stored, or are known to be lost. */
    async settled(): Promise<void> {
      await last
    },
    /** Returns true once the end has come: an entry that was recorded now may be only in the log. */
    isClosed: () => over.signal.aborted,
    /** Stores the remaining entries. Later entries are only in the log. */
    async close(): Promise<void> {
      clearInterval(counting)
      const counted = keepCounted(true)
      const timer = setTimeout(() => over.abort(), timeoutMs)
      while (backlog > 0) await last
      await counted
      clearTimeout(timer)
      over.abort()
    },
  }
}

/**
 * Prints the entry. Returns a copy: code of the deployment may still change what it told. One bad entry stops
 * nothing (I17): what is no entry is set aside.
 */
function print(reported: AuditEntry): AuditEntry {
  let line: string | undefined
  try {
    line = lineOf(reported)
    console.log(line)
    return parseEntry(line)
  } catch (error) {
    const why = line === undefined ? 'it could not be written as JSON' : reasonOf(error)
    log(`an entry is set aside: ${why}`)
    const digest = line === undefined ? undefined : digestOf(line)
    const event = typeof reported.event === 'string' ? reported.event.slice(0, 100) : undefined
    return setAsideEntry({ event, digest, why })
  }
}

/** The deployment tells these, and no request: they may name no person. */
const ALWAYS_STORED: readonly string[] = [
  SET_ASIDE,
  ERASED_EVENT,
  MISLABELLED_EVENT,
  'support.exported',
]

/**
 * An entry without these members has nothing to search by and stays in the log. Such an entry needs
 * no credential: garbage at the exchange of a public client makes one. Many of them would hide the
 * real events.
 */
function isKept({ event, denial, userId, actor, software, requestedBy, by }: AuditEntry): boolean {
  const names = [userId, actor, software, requestedBy, by]
  const isNamed = ALWAYS_STORED.includes(event) || names.some((member) => member !== undefined)
  return isNamed && denial?.error !== 'approval_required'
}
