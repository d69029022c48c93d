import { decodeEntry, reasonOf } from 'oidc-provider-impersonation-verify/format'
import { log } from '../../kernel/log-line.ts'
import type { AuditStore } from '../store.ts'
import type { StoredEvent } from './log.ts'

/** Milliseconds between two reads of the entries that other processes stored. */
const POLL_EVERY = 1000
/** Number of entries per read. */
const ENTRIES_PER_READ = 500
/** The most ids that one follower is told at once. With more, it is told that any row may have changed. */
const MAX_IDS_NOTIFIED = 100

/** After any other event, the same impersonations run as before. */
const EVENTS_OF_RUNNING: ReadonlySet<string> = new Set([
  'impersonation.started',
  'impersonation.replayed',
  'impersonation.ended',
  'support.continued',
])

/** What changed since a follower was told last. */
export interface Changed {
  /** The ids of the rows. With none, any row may have changed. */
  readonly rows: ReadonlySet<string>
  /** Those of `rows` that may have begun to run, or ended. */
  readonly begunOrEnded: ReadonlySet<string>
}

/** Tells followers which rows changed. */
export interface Changes {
  /** Tells what this process stored. */
  stored(told: readonly StoredEvent[]): void
  /**
   * Yields what changes from the first read on, until the signal aborts. */
  follow(signal: AbortSignal): AsyncGenerator<Changed, void>
}

interface RowEvent {
  readonly row: string
  /** `undefined` for an entry that this version cannot read. */
  readonly event: string | undefined
}

/** What one follower has not been told yet. */
interface Follower {
  rows: Set<string>
  begunOrEnded: Set<string>
  isAny: boolean
  wake: () => void
}

/**
 * One poll per second serves all followers. Without followers, there is no poll. While the store cannot
 * be read, followers wait; afterwards they are told what happened meanwhile.
 */
export function changes(
  store: Pick<AuditStore, 'entries' | 'newest'>,
  pollEvery = POLL_EVERY,
): Changes {
  const followers = new Set<Follower>()
  /** The ids of entries that this process stored since they were read last: `stored` told them. */
  const own = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  /** Up to where the entries were read; `undefined` before the first read. */
  let position: { readonly after: string | undefined } | undefined
  let [isPolling, isLogged] = [false, false]

  /** @param isAny whether any row may have changed */
  function notifyAll(events: readonly RowEvent[], isAny = false): void {
    for (const follower of followers) {
      for (const { row, event } of events) {
        follower.rows.add(row)
        if (event === undefined || EVENTS_OF_RUNNING.has(event)) follower.begunOrEnded.add(row)
      }
      follower.isAny ||= isAny || follower.rows.size > MAX_IDS_NOTIFIED
      if (follower.isAny) {
        follower.rows.clear()
        follower.begunOrEnded.clear()
      }
      if (follower.isAny || follower.rows.size > 0) follower.wake()
    }
  }

  async function poll(): Promise<void> {
    if (isPolling) return
    isPolling = true
    try {
      position ??= await firstPosition()
      await readOn()
      if (isLogged) log('the changes of other processes can be read again')
      isLogged = false
    } catch (error) {
      if (!isLogged) log(`the changes of other processes cannot be read: ${reasonOf(error)}`)
      isLogged = true
    }
    isPolling = false
    if (followers.size === 0) position = undefined
  }

  /** What happened before is not told. After trouble, it is not known what that was. */
  async function firstPosition(): Promise<{ readonly after: string | undefined }> {
    const after = await store.newest()
    if (isLogged) notifyAll([], true)
    return { after }
  }

  async function readOn(): Promise<void> {
    for (let isMore = true; isMore && followers.size > 0; ) {
      const entries = await store.entries({ after: position?.after, limit: ENTRIES_PER_READ })
      position = { after: entries.at(-1)?.cursor ?? position?.after }
      isMore = entries.length === ENTRIES_PER_READ
      notifyAll(
        entries.flatMap(({ id, row, text }) =>
          own.delete(id) || row === undefined ? [] : { row, event: decodeEntry(text ?? '')?.event },
        ),
      )
    }
  }

  function join(): Follower {
    const follower: Follower = {
      rows: new Set(),
      begunOrEnded: new Set(),
      isAny: false,
      wake() {},
    }
    followers.add(follower)
    timer ??= setInterval(poll, pollEvery).unref()
    if (position === undefined) void poll()
    return follower
  }

  function leave(follower: Follower): void {
    followers.delete(follower)
    if (followers.size > 0) return
    clearInterval(timer)
    timer = undefined
    position = undefined
    own.clear()
  }

  async function* follow(signal: AbortSignal): AsyncGenerator<Changed, void> {
    const follower = join()
    const wake = () => follower.wake()
    signal.addEventListener('abort', wake, { once: true })
    try {
      while (!signal.aborted) {
        const { rows, begunOrEnded, isAny } = follower
        if (isAny || rows.size > 0) {
          follower.rows = new Set()
          follower.begunOrEnded = new Set()
          follower.isAny = false
          yield { rows, begunOrEnded }
        } else {
          await new Promise<void>((resolve) => {
            follower.wake = resolve
          })
        }
      }
    } finally {
      leave(follower)
      signal.removeEventListener('abort', wake)
    }
  }

  return {
    stored(told) {
      if (followers.size === 0) return
      for (const { id } of told) own.add(id)
      notifyAll(told.flatMap(({ row, event }) => (row === undefined ? [] : { row, event })))
    },
    follow,
  }
}
