import { setImmediate as afterOthers } from 'node:timers/promises'
import { every } from '../../kernel/every.ts'
import type { AuditStore } from '../store.ts'

const HOUR_MS = 3_600_000
/** The first run is within this time, in milliseconds: processes that start together take turns. */
const FIRST_RUN_WITHIN_MS = 60_000
/** The number of rows that are removed in one step: other processes wait as long as it takes. */
const ROWS_PER_STEP = 50

const SAYS = {
  failing: 'old entries are not removed, until it works',
  again: 'old entries are removed again',
}

/**
 * Removes what is older than `keepFor`.
 *
 * @param now in milliseconds since the epoch
 */
export async function removeOld(
  store: AuditStore,
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  if (store.keepFor === undefined) return
  const before = now - store.keepFor * 1000
  while (!signal?.aborted) {
    if ((await store.remove(await store.old(before, ROWS_PER_STEP))) === 0) return
    await afterOthers()
  }
}

/**
 * Removes what is old, by a timer that does not keep the process alive. One process needs it; several do no harm.
 *
 * @param interval how long between two runs, in milliseconds, give or take a tenth
 */
export function startRetention(store: AuditStore, interval = HOUR_MS) {
  return {
    /** Resolves when the last run is over. */
    stop: every(
      () => interval * (0.9 + Math.random() * 0.2),
      (signal) => removeOld(store, Date.now(), signal),
      { says: SAYS, first: Math.random() * Math.min(FIRST_RUN_WITHIN_MS, interval) },
    ),
  }
}
