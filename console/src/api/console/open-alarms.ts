import type { AuditStore } from '../../audit/store.ts'

/** The most alarms that are counted. */
const MAX_ALARMS_COUNTED = 100

interface Counting {
  readonly running: Promise<number>
  /** The count that begins when the running one is over. All who ask meanwhile share it. */
  next: Promise<number> | undefined
}

const countings = new WeakMap<object, Counting>()

/**
 * How many rows have an alarm to look at now, counted after the call: one count at a time, for any number of
 * streams.
 */
export function openAlarms(store: Pick<AuditStore, 'find'>, now: () => number): Promise<number> {
  const counting = countings.get(store)
  if (counting) {
    counting.next ??= counting.running.then(
      () => begin(store, now),
      () => begin(store, now),
    )
    return counting.next
  }
  return begin(store, now)
}

function begin(store: Pick<AuditStore, 'find'>, now: () => number): Promise<number> {
  const running = store
    .find({ alarm: 'urgent' }, { limit: MAX_ALARMS_COUNTED, now: now() })
    .then(({ rows }) => rows.length)
  const counting: Counting = { running, next: undefined }
  countings.set(store, counting)
  const over = () => {
    if (countings.get(store) === counting && counting.next === undefined) countings.delete(store)
  }
  running.then(over, over)
  return running
}
