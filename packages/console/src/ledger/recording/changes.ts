import { decodeEntry } from 'oidc-provider-impersonation-verify/format'
import { every } from '../../kernel/every.ts'
import { untilAborted } from '../../kernel/until-aborted.ts'
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

/**
 * The ids of what changed since a follower was told last, and of each whether it may have begun to run, or ended.
 * With none, any row may have changed.
 */
export type Changed = ReadonlyMap<string, boolean>

const ANY: Changed = new Map()

interface Follower {
  /** Changes that it has not been told yet. */
  pending: Changed | undefined
  wake: () => void
}

/**
 * Tells followers which rows changed. One poll per second serves all of them. Without followers, there is no poll.
 * While the store cannot be read, followers wait; afterwards they are told what happened meanwhile.
 */
export function changes(store: AuditStore, pollEvery = POLL_EVERY) {
  const followers = new Set<Follower>()
  let stopPolling = async () => {}

  function tellAll(change: Changed): void {
    for (const follower of followers) {
      const all = withMore(follower.pending ?? ANY, change)
      const isAny = change === ANY || follower.pending === ANY || all.size > MAX_IDS_NOTIFIED
      follower.pending = isAny ? ANY : all
      follower.wake()
    }
  }

  /** Earlier changes are not told. After trouble, any row may have changed. */
  function startPolling(): () => Promise<void> {
    let after: number | undefined
    let attempts = 0

    async function poll(signal: AbortSignal): Promise<void> {
      attempts += 1
      if (after === undefined) {
        after = await store.newest()
        if (attempts > 1) tellAll(ANY)
      }
      for (let isMore = true; isMore && !signal.aborted; ) {
        const entries = await store.entries({ after, limit: ENTRIES_PER_READ })
        after = entries.at(-1)?.number ?? after
        isMore = entries.length === ENTRIES_PER_READ
        const change = withMore(ANY, entries.flatMap(changesOf))
        if (change.size > 0) tellAll(change)
      }
    }
    return every(() => pollEvery, poll, { says: SAYS })
  }

  /** Yields what changes from the first read on, until the signal aborts. */
  async function* follow(signal: AbortSignal): AsyncGenerator<Changed, void> {
    const follower: Follower = { pending: undefined, wake() {} }
    followers.add(follower)
    if (followers.size === 1) stopPolling = startPolling()
    try {
      while (!signal.aborted) {
        const { pending } = follower
        follower.pending = undefined
        if (pending) yield pending
        else {
          const { promise, resolve } = Promise.withResolvers<void>()
          follower.wake = resolve
          await untilAborted(promise, signal)
        }
      }
    } finally {
      followers.delete(follower)
      if (followers.size === 0) void stopPolling()
    }
  }

  return { follow }
}

function withMore(before: Changed, more: Iterable<readonly [id: string, boolean]>): Changed {
  const all = new Map(before)
  for (const [id, isOfRunning] of more) all.set(id, isOfRunning || all.get(id) === true)
  return all
}

/** This version cannot read every event. */
function changesOf({ row, text = '' }: StoredEntry): (readonly [id: string, boolean])[] {
  const event = decodeEntry(text)?.event
  const isOfRunning = event === undefined || EVENTS_OF_RUNNING.includes(event)
  return row === undefined ? [] : [[row, isOfRunning]]
}
