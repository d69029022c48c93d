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
const EVENTS_OF_RUNNING: ReadonlySet<string> = new Set([
  'impersonation.started',
  'impersonation.replayed',
  'impersonation.ended',
  'support.continued',
])

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

/** Tells followers which rows changed. */
export interface Changes {
  /** Yields what changes from the first read on, until the signal aborts. */
  follow(signal: AbortSignal): AsyncGenerator<Changed, void>
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
  let polling = new AbortController()

  /** @param isAny whether any row may have changed */
  function tellAll(entries: readonly StoredEntry[], isAny = false): void {
    const told = entries.map(({ row, text }) => ({ row, event: decodeEntry(text ?? '')?.event }))
    for (const follower of followers) {
      for (const { row, event } of told) {
        if (row === undefined) continue
        follower.rows.add(row)
        // This version cannot read every event.
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

  /** What happened before is not told. After trouble, it is not known what that was. */
  function startPolling({ signal }: AbortController): void {
    let after: string | undefined
    let [isBegun, isFirst] = [false, true]

    async function poll(): Promise<void> {
      if (!isBegun) {
        const hasFailed = !isFirst
        isFirst = false
        after = await store.newest()
        isBegun = true
        tellAll([], hasFailed)
      }
      for (let isMore = true; isMore && !signal.aborted; ) {
        const entries = await store.entries({ after, limit: ENTRIES_PER_READ })
        after = entries.at(-1)?.cursor ?? after
        isMore = entries.length === ENTRIES_PER_READ
        tellAll(entries)
      }
    }
    void every(() => pollEvery, poll, { signal, says: SAYS })
  }

  async function* follow(signal: AbortSignal): AsyncGenerator<Changed, void> {
    const follower: Follower = { rows: new Set(), begunOrEnded: new Set(), isAny: false, wake() {} }
    followers.add(follower)
    if (followers.size === 1) startPolling(polling)
    const wake = () => follower.wake()
    signal.addEventListener('abort', wake, { once: true })
    try {
      while (!signal.aborted) {
        const { rows, begunOrEnded, isAny } = follower
        if (isAny || rows.size > 0) {
          Object.assign(follower, { rows: new Set(), begunOrEnded: new Set(), isAny: false })
          yield { rows, begunOrEnded }
        } else {
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
