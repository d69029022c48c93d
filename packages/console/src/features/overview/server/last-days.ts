import { sharedRead } from '../../../kernel/shared-read.ts'
import { type DayCounts, dayOf, UTC_DAY_MS } from '../../../ledger/day-counts.ts'
import type { AuditStore } from '../../../ledger/store.ts'

/** How many days are shown, with today. */
const DAYS_SHOWN = 30
/** After this time a day stays as it is: no access token lives longer than a day, and entries come a day late at most. */
const SETTLED_AFTER_MS = 2 * UTC_DAY_MS
/** How long the counts are good of a day that is over, and not settled. */
const RECOUNT_AFTER_MS = 5 * 60_000

/** The counts of a day, as of a time. */
interface Counted {
  readonly counts: DayCounts
  readonly asOf: number
}

type Counting = Pick<AuditStore, 'countByDay'>

/** By the storage, and by the day. */
const kept = new WeakMap<Counting, Map<number, Counted>>()

/**
 * The last days with today, the oldest first, by one statement at most. Days that are over are counted once in this
 * process, and kept. All who ask meanwhile share one answer.
 *
 * @param now in milliseconds since the epoch
 */
export function readLastDays(store: Counting, now: number): Promise<readonly DayCounts[]> {
  const days = kept.get(store) ?? new Map<number, Counted>()
  kept.set(store, days)
  return sharedRead(days, async () => {
    const today = dayOf(now)
    const shown = Array.from(
      { length: DAYS_SHOWN },
      (_, back) => today - back * UTC_DAY_MS,
    ).reverse()
    const from = shown.find((day) => !isGood(days.get(day), now)) ?? today
    const found = await store.countByDay({ from, to: today + UTC_DAY_MS, now })
    const counted = new Map(found.map((counts) => [counts.day, counts]))
    for (const day of shown.filter((each) => each >= from)) {
      days.set(day, { counts: counted.get(day) ?? nothingOn(day), asOf: now })
    }
    for (const day of days.keys()) if (!shown.includes(day)) days.delete(day)
    return shown.map((day) => days.get(day)?.counts ?? nothingOn(day))
  })
}

/** Whether a day need not be counted again. */
function isGood(counted: Counted | undefined, now: number): boolean {
  if (!counted) return false
  const { asOf, counts } = counted
  const over = counts.day + UTC_DAY_MS
  if (asOf >= over + SETTLED_AFTER_MS) return true
  return asOf >= over && now - asOf < RECOUNT_AFTER_MS
}

function nothingOn(day: number): DayCounts {
  return { day, starts: {}, unapproved: 0, refused: 0, objected: 0 }
}
