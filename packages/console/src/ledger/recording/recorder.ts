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
import { type Capacity, capacity } from './capacity.ts'
import { newEntryId, type StoredOutcome } from './compose.ts'
import type { Log } from './log.ts'
import { type NameOf, naming } from './names.ts'
import { type ParsedUse, parseEntry } from './parse-entry.ts'
import { repetitions } from './repetitions.ts'
import { setAsideEntry } from './set-aside.ts'

/** Records events on stdout and in the store. */
export interface Recorder {
  /**
   * Never rejects. Resolves when the entry is stored, or when stderr says that it is not. An entry
   * that names no account and no client is only in the log, and resolves at once. So is a start that
   * needs an approval first: nothing was refused, and what is asked for then has entries of its own. If the store fails,
   * the recorder tries again until the store works. It gives up an entry only at the end of the
   * process.
   */
  record(entry: AuditEntry): Promise<void>
  /** The same, for a use that was read already. */
  recordUse(use: ParsedUse): Promise<void>
  /**
   * The same as `record`, for what must not happen without its entry.
   *
   * @param id of the entry: `newEntryId()`. With the id of an entry that is stored, it does nothing
   * @throws Error where the entry is not stored as it was told: it was set aside, or given up
   */
  recordSurely(entry: AuditEntry, id?: string): Promise<void>
  /**
   * Stores an entry with `afterRestart` unless its row has what it says. It is in the log once it is stored. Never
   * rejects.
   *
   * @returns whether this call stored it
   */
  recordMissing(entry: AuditEntry): Promise<boolean>
  /** Resolves when all earlier entries are stored, or are known to be lost. */
  settled(): Promise<void>
  /**
   * A request that makes an entry waits here first. Nothing acts before it is recorded (I13): an event is
   * never refused, so only a request that has not begun can be refused. There is no capacity where too many
   * entries wait, and while the store fails or does not answer: what would be done then would be ended again.
   */
  readonly capacity: Pick<Capacity, 'isFree' | 'wait'>
  /** Whether the end has come: an entry that was recorded now may be only in the log. */
  isClosed(): boolean
  /** Stores the remaining entries. Later entries are only in the log. */
  close(): Promise<void>
}

export interface RecorderOptions {
  /** Names customers and operators when an entry is recorded. */
  readonly nameOf?: NameOf | undefined
  /** What customers are to be told of impersonations that start. */
  readonly notify?: readonly ToTell[] | undefined
  /** Whether the deployment is to be told of alarms. */
  readonly alerts?: boolean | undefined
  /**
   * There is capacity while fewer entries than this wait for the store. The number can be larger only
   * because of requests that were already accepted.
   * @defaultValue 1000
   */
  readonly bound?: number | undefined
  /**
   * How long the store may take for what it writes, in milliseconds, before it counts as one that does
   * not answer.
   * @defaultValue 2 seconds
   */
  readonly slow?: number | undefined
  /** How long the directory may take for a name, in milliseconds: see `naming`. */
  readonly nameTimeoutMs?: number | undefined
  /**
   * How long the last entries may take at the end of the process, in milliseconds.
   * @defaultValue 10 seconds
   */
  readonly timeoutMs?: number | undefined
  /**
   * Pauses before a failed write is repeated, in milliseconds. Each is longer than the one before.
   */
  readonly pauses?: readonly [number, ...number[]] | undefined
  /** The clock by which repetitions are counted, in milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
}

/** Number of entries per write. */
const ENTRIES_PER_WRITE = 1000

/** How often what was counted is looked at, in milliseconds. */
const COUNTED_EVERY_MS = 60_000

/** Entries that are written in one batch. */
interface Group {
  readonly entries: { readonly id: string; readonly entry: AuditEntry }[]
  /** The same entries with names. None rejects. */
  readonly named: Promise<AuditEntry>[]
  /** Resolves when the entries are stored, or are known to be lost. */
  readonly done: PromiseWithResolvers<readonly StoredOutcome[]>
}

export function recorder(
  { append, isTroubled }: Pick<Log, 'append' | 'isTroubled'>,
  {
    nameOf,
    notify,
    alerts = false,
    bound = 1000,
    slow = 2000,
    nameTimeoutMs,
    timeoutMs = 10_000,
    pauses = [50, 100, 250, 500, 1000],
    now,
  }: RecorderOptions = {},
): Recorder {
  const over = new AbortController()
  const repeated = repetitions(now)
  const addNames = naming(nameOf, nameTimeoutMs)
  /** In order. The store is writing the first one. */
  const groups: Group[] = []
  let backlog = 0
  /** When the store was handed what it is writing, by the monotonic clock. */
  let writingSince: number | undefined
  const free = capacity(() => backlog < bound && !isTroubled() && !isSlow())

  function isSlow(): boolean {
    return writingSince !== undefined && performance.now() - writingSince > slow
  }

  function groupToFill(): Group {
    const last = groups.at(-1)
    if (last && groups.length > 1 && last.entries.length < ENTRIES_PER_WRITE) return last
    const group: Group = { entries: [], named: [], done: Promise.withResolvers() }
    groups.push(group)
    return group
  }

  /** Writes one group after the other. This keeps the order and needs only one connection. */
  async function writeAll(): Promise<void> {
    for (let group = groups[0]; group; group = groups[0]) {
      const named = await untilAborted(Promise.all(group.named), over.signal)
      writingSince = performance.now()
      const pending = group.entries.map(({ id, entry }, at) => ({
        id,
        entry: named?.[at] ?? entry,
      }))
      const outcomes = await append(pending, { pauses, end: over.signal })
      writingSince = undefined
      groups.shift()
      backlog -= group.entries.length
      group.done.resolve(outcomes)
      free.changed()
    }
  }

  function marked(entry: AuditEntry): AuditEntry {
    const isStart = entry.event === 'impersonation.started'
    const told = isStart && notify ? { ...entry, toTell: notify } : entry
    return alerts ? tellDeployment(told, alarmKindOf(told)) : told
  }

  /** Resolves whether the store has the entry as it was told. */
  async function keep(given: AuditEntry, id = newEntryId()): Promise<boolean> {
    const entry = marked(given)
    if (over.signal.aborted) {
      complain(entry, 'the storage is closed')
      return false
    }
    const { entries, named, done } = groupToFill()
    named.push(addNames(entry))
    const at = entries.push({ id, entry }) - 1
    backlog += 1
    if (backlog === 1) void writeAll()
    const { stored, why } = (await done.promise)[at] ?? {}
    return stored !== undefined && why === undefined
  }

  async function keepCounted(isEnd: boolean): Promise<void> {
    await Promise.all(repeated.due(isEnd).map((entry) => keep(entry)))
  }
  const counting = setInterval(() => void keepCounted(false), COUNTED_EVERY_MS).unref()

  return {
    capacity: free,
    async record(reported) {
      const entry = print(reported)
      if (isKept(entry) && !repeated.isCounted(entry)) await keep(entry)
    },
    async recordUse({ timeMs, id, userId, actor, software, client, ...use }) {
      const who = present({ id, userId, actor, software, client })
      const entry: AuditEntry = { event: USED_EVENT, timeMs, ...who, use }
      console.log(lineOf(entry))
      if (!repeated.isCounted(entry)) await keep(entry)
    },
    async recordSurely(reported, id) {
      const entry = print(reported)
      const isStored = isKept(entry) && (await keep(entry, id))
      // One bad entry stops nothing (I17): what is set aside leaves a word. That is not enough to act.
      if (!isStored || entry.event !== reported.event) throw new Error('the audit did not store it')
    },
    async recordMissing(entry) {
      const isStored = await keep(entry)
      if (isStored) console.log(lineOf(entry))
      return isStored
    },
    async settled() {
      await groups.at(-1)?.done.promise
    },
    isClosed: () => over.signal.aborted,
    async close() {
      clearInterval(counting)
      const counted = keepCounted(true)
      const timer = setTimeout(() => over.abort(), timeoutMs)
      while (groups.length > 0) await groups.at(-1)?.done.promise
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
    return setAsideEntry({ event: eventOf(reported), digest, why })
  }
}

function eventOf(reported: { readonly event?: unknown }): string | undefined {
  return typeof reported.event === 'string' ? reported.event.slice(0, 100) : undefined
}

/** The deployment tells these, and no request: they may name no person. */
const ALWAYS_STORED: ReadonlySet<string> = new Set([
  ...[SET_ASIDE, ERASED_EVENT, MISLABELLED_EVENT],
  'support.exported',
])

function isKept(entry: AuditEntry): boolean {
  return isNamed(entry) && entry.denial?.error !== 'approval_required'
}

/**
 * An entry without these members has nothing to search by and stays in the log. Such an entry needs
 * no credential: garbage at the exchange of a public client makes one. Many of them would hide the
 * real events.
 */
function isNamed({ event, userId, actor, software, requestedBy, by }: AuditEntry): boolean {
  return (
    ALWAYS_STORED.has(event) ||
    [userId, actor, software, requestedBy, by].some((member) => member !== undefined)
  )
}
