import { setImmediate as afterOthers } from 'node:timers/promises'
import { every, saying } from '../../kernel/every.ts'
import type { AuditStore } from '../store.ts'

/** Removes what is old, as long as the process runs. */
export interface Retention {
  /** Does it now, once. Never rejects: stderr tells what is wrong. */
  run(): Promise<void>
  /** Resolves when what was begun is over. */
  stop(): Promise<void>
}

export interface RetentionOptions {
  /** How long between two runs, in milliseconds, give or take a tenth. @defaultValue one hour */
  readonly interval?: number | undefined
  /** The clock, in milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
}

const HOUR_MS = 3_600_000
/** The first run is within this time, in milliseconds: processes that start together take turns. */
const FIRST_RUN_WITHIN_MS = 60_000
/** How many rows are removed in one step: other processes wait as long as it takes. */
const ROWS_PER_STEP = 50

const SAYS = {
  failing: 'old entries are not removed, until it works',
  again: 'old entries are removed again',
}

/** Starts a timer that does not keep the process alive. One process needs it; several do no harm. */
export function startRetention(
  store: Pick<AuditStore, 'keepFor' | 'old' | 'remove'>,
  { interval = HOUR_MS, now = () => Date.now() }: RetentionOptions = {},
): Retention {
  const over = new AbortController()
  let running: Promise<void> = Promise.resolve()

  async function removeOld(): Promise<void> {
    if (store.keepFor === undefined) return
    const before = now() - store.keepFor * 1000
    while (!over.signal.aborted) {
      if ((await store.remove(await store.old(before, ROWS_PER_STEP))) === 0) return
      await afterOthers()
    }
  }

  const attempt = saying(SAYS)
  /** One after the other. */
  function run(): Promise<void> {
    running = running.then(() => attempt(removeOld))
    return running
  }

  const timed = every(() => interval * (0.9 + Math.random() * 0.2), run, {
    signal: over.signal,
    says: SAYS,
    first: Math.random() * Math.min(FIRST_RUN_WITHIN_MS, interval),
  })
  return {
    run,
    async stop() {
      over.abort()
      await Promise.all([running, timed])
    },
  }
}
