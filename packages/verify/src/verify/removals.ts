import { Broken } from './broken.ts'
import type { ReadEntry } from './parsed.ts'
import type { Survey } from './survey.ts'

/** What was removed may be younger than a seal says by this, in milliseconds: the clocks of two processes differ. */
const TOLERANCE_MS = 600_000
/** How much later than its time an event may be recorded, in milliseconds: APIs tell uses a day late. */
const MAX_DELAY_MS = 86_400_000

/** How many entries were erased, and of how many impersonations and permits. */
export interface RemovedCounts {
  readonly entries: number
  readonly impersonations: number
  readonly permits: number
}

/** What was removed of an impersonation or a permit. */
interface Removed {
  /** Of its last entry. */
  time: number
  isHeld: boolean
  /** The number of the entry. */
  last: number
}

/** Whether what is missing could be removed: it was old enough, with all that is about the same, and not on hold. */
export class Removals {
  entries = 0
  readonly #removed = new Map<string, Removed>()
  readonly #erased = new Map<string, number>()
  readonly #survey: Pick<Survey, 'before' | 'erased' | 'shortestKept'>

  constructor(survey: Pick<Survey, 'before' | 'erased' | 'shortestKept'>) {
    this.#survey = survey
  }

  get erased(): RemovedCounts {
    const ids = [...this.#erased.keys()]
    const permits = ids.filter((id) => this.#survey.erased.get(id)?.isPermit).length
    const entries = [...this.#erased.values()].reduce((sum, count) => sum + count, 0)
    return { entries, impersonations: ids.length - permits, permits }
  }

  /** An entry without its text. @param isHeld by the entries before it @throws Broken */
  add({ number, time, subject, mark }: ReadEntry, isHeld: boolean, line: number): void {
    this.entries += 1
    const { erased, before } = this.#survey
    if (subject !== undefined && erased.get(subject)?.untils.some((until) => time <= until)) {
      this.#erased.set(subject, (this.#erased.get(subject) ?? 0) + 1)
      return
    }
    if (time - TOLERANCE_MS > before) {
      const [of, until] = [time, before].map((each) => new Date(each).toISOString())
      const why = `it is of ${of}, and only what is older than ${until} was to be removed`
      throw new Broken(`its text is missing, but ${why}`, { entry: number, line })
    }
    if (subject === undefined) return
    const removed = this.#removed.get(subject) ?? { time, isHeld, last: number }
    this.#removed.set(subject, removed)
    removed.time = Math.max(removed.time, time)
    removed.last = number
    if (mark !== undefined) removed.isHeld = mark === 'held'
  }

  /**
   * An entry that is still there: it begins anew what was removed, after a pause as long as texts are kept, less the
   * time that an entry may be late.
   *
   * @throws Broken
   */
  keep({ number, time, subject }: ReadEntry, line: number): void {
    const removed = subject === undefined ? undefined : this.#removed.get(subject)
    if (subject === undefined || !removed) return
    if (time - removed.time < this.#survey.shortestKept - MAX_DELAY_MS - TOLERANCE_MS) {
      const later = `the entry ${number} about the same is of ${new Date(time).toISOString()}`
      throw new Broken(`its text is missing, but ${later}`, { entry: removed.last, line })
    }
    assertNotHeld(removed)
    this.#removed.delete(subject)
  }

  /** @throws Broken */
  finish(): void {
    for (const removed of this.#removed.values()) assertNotHeld(removed)
  }
}

function assertNotHeld({ isHeld, last }: Removed): void {
  if (!isHeld) return
  throw new Broken('its text is missing, but its impersonation is on hold', { entry: last })
}
