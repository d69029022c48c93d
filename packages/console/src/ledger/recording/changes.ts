import { decodeEntry } from 'oidc-provider-impersonation-verify/format'
import { every } from '../../kernel/every.ts'
import type { AuditStore, StoredEntry } from '../store.ts'

/** Milliseconds between two reads of the entries that processes stored. */
const POLL_EVERY = 1000
/** Number of entries per read. */
const ENTRIES_PER_READ = 500
/** The most ids that one follower is told at once. With more, it is told that any row may have changed. */
const MAX_IDS_NOTIFIED = 100

/** After any other event, the same impersonations run as before. */
const EVENTS_OF_RUNNING: readonly string[] = [
  'impersonation.started',
  'impersonation.replayed',
  'impersonation.ended',
  'support.continued',
]

const SAYS = {
  failing: 'the changes of the audit cannot be read',
  again: 'the changes of the audit can be read again',
}

/** What changed since a follower was told last. */
export interface Changed {
  /** The ids of the rows. With none, any row may have changed. */
  readonly rows: ReadonlySet<string>
  /** Those of `rows` that may have begun to run, or ended. */
  readonly begunOrEnded: ReadonlySet<string>
}

const ANY: Changed = { rows: new Set(), begunOrEnded: new Set() }

interface Follower {
  /** What it has not been told yet. */
  pending: Changed | undefined
  wake: () => void
}

/**
 * Tells followers which rows changed. One poll per second serves all of them. Without followers, there is no poll.
 * While the store cannot be read, followers wait; afterwards they are told what happened meanwhile.
 */
export function changes(store: Pick<AuditStore, 'entries' | 'newest'>, pollEvery = POLL_EVERY) {
  const followers = new Set<Follower>()
  let polling = new AbortController()

  function tellAll(change: Changed): void {
    for (const follower of followers) {
      const before = follower.pending ?? ANY
      const rows = new Set([...before.rows, ...change.rows])
      const begunOrEnded = new Set([...before.begunOrEnded, ...change.begunOrEnded])
      const isAny = change === ANY || follower.pending === ANY || rows.size > MAX_IDS_NOTIFIED
      follower.pending = isAny ? ANY : { rows, begunOrEnded }
      follower.wake()
    }
  }

  /** What happened before is not told. After trouble, it is not known what that was. */
  function startPolling({ signal }: AbortController): void {
    let after: string | undefined
    let [isBegun, attempts] = [false, 0]

    async function poll(): Promise<void> {
      attempts += 1
      if (!isBegun) {
        after = await store.newest()
        isBegun = true
        if (attempts > 1) tellAll(ANY)
      }
      for (let isMore = true; isMore && !signal.aborted; ) {
        const entries = await store.entries({ after, limit: ENTRIES_PER_READ })
        after = entries.at(-1)?.cursor ?? after
        isMore = entries.length === ENTRIES_PER_READ
        const change = changeIn(entries)
        if (change.rows.size > 0) tellAll(change)
      }
    }
    void every(() => pollEvery, poll, { signal, says: SAYS })
  }

  /** Yields what changes from the first read on, until the signal aborts. */
  async function* follow(signal: AbortSignal): AsyncGenerator<Changed, void> {
    const follower: Follower = { pending: undefined, wake() {} }
    followers.add(follower)
    if (followers.size === 1) startPolling(polling)
    const wake = () => follower.wake()
    signal.addEventListener('abort', wake, { once: true })
    try {
      while (!signal.aborted) {
        const { pending } = follower
        follower.pending = undefined
        if (pending) yield pending
        else {
          await new Promise<void>((resolve) => {
            follower.wake = resolve
          })
        }
      }
    } finally {
      signal.removeEventListener('abort', wake)
      followers.delete(follower)
      if (followers.size === 0) {
        polling.abort()
        polling = new AbortController()
      }
    }
  }

  return { follow }
}

function changeIn(entries: readonly StoredEntry[]): Changed {
  const [rows, begunOrEnded] = [new Set<string>(), new Set<string>()]
  for (const { row, text } of entries) {
    if (row === undefined) continue
    rows.add(row)
    const event = decodeEntry(text ?? '')?.event
    // This version cannot read every event.
    if (event === undefined || EVENTS_OF_RUNNING.includes(event)) begunOrEnded.add(row)
  }
  return { rows, begunOrEnded }
}
