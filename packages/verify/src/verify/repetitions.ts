import type { AuditEntry } from '../format/entry.ts'
import { COUNTED_FOR_MS, likenessOf } from '../format/likeness.ts'
import { broken } from './chains.ts'
import type { Entry } from './parsed.ts'

/** How many entries say that their event was repeated, and how often in all: no chain has that. */
export class Repetitions {
  entries = 0
  events = 0

  /**
   * What no chain has is at least possible: events of some kinds are counted, for an hour.
   *
   * @throws Broken
   */
  add(entry: Entry, reported: AuditEntry | undefined, line: number): void {
    const { text, count = 1, lastTime } = entry
    if (text === undefined) return
    if ((count === 1) !== (lastTime === undefined)) {
      throw broken('its count and its last time contradict each other', entry, line)
    }
    if (lastTime === undefined) return
    this.entries += 1
    this.events += count - 1
    if (!reported) return
    if (likenessOf(reported) === undefined) {
      throw broken('it says that it was repeated, and events of its kind are not', entry, line)
    }
    if (lastTime >= reported.timeMs && lastTime - reported.timeMs < COUNTED_FOR_MS) return
    throw broken('it says that it was repeated at a time at which it was not counted', entry, line)
  }
}
