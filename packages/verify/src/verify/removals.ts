import { Broken } from './broken.ts'
import type { ReadEntry } from './lines.ts'
import type { Survey } from './survey.ts'

/**
 * Time that a removed entry may be too young, in milliseconds: the clocks of two processes differ.
 */
const TOLERANCE_MS = 600_000
/** Time that an event may be recorded late, in milliseconds: APIs send uses up to a day late. */
const MAX_DELAY_MS = 86_400_000

/** Checks if a missing text could be removed: it was old enough, with all others of its subject, and not on hold. */
export class Removals {
  entries = 0
  /** Number of these that were erased. */
  erased = 0
  /** Ids of their impersonations and permits. */
  readonly erasedIds = new Set<string>()
  /** The time and the number of the last removed entry, by impersonation or permit. */
  readonly #removed = new Map<string, { readonly time: number; readonly last: number }>()
  readonly #held = new Set<string>()
  readonly #survey: Pick<Survey, 'before' | 'erased' | 'shortestKept'>

  constructor(survey: Pick<Survey, 'before' | 'erased' | 'shortestKept'>) {
    this.#survey = survey
  }

  /** @throws Broken */
  add(entry: ReadEntry, line: number): void {
    const { subject, text, mark } = entry
    if (text === undefined) this.#addRemoved(entry, line)
    else this.#addKept(entry, line)
    if (subject === undefined) return
    if (mark === 'h') this.#held.add(subject)
    if (mark === 'r') this.#held.delete(subject)
  }

  #addRemoved({ number, time, subject }: ReadEntry, line: number): void {
    this.entries += 1
    const { erased, before } = this.#survey
    if (subject !== undefined && time <= (erased.get(subject) ?? -Infinity)) {
      this.erased += 1
      this.erasedIds.add(subject)
      return
    }
    if (time - TOLERANCE_MS > before) {
      const [of, until] = [time, before].map((each) => new Date(each).toISOString())
      const why = `it is of ${of}, and only what is older than ${until} was to be removed`
      throw new Broken(`its text is missing, but ${why}`, { entry: number, line })
    }
    if (subject === undefined) return
    const removed = this.#removed.get(subject)
    this.#removed.set(subject, { time: Math.max(removed?.time ?? 0, time), last: number })
  }

  /**
   * An entry that is still there begins anew what was removed, after a pause as long as texts are kept, less the
   * time that an entry may be late.
   */
  #addKept({ number, time, subject = '' }: ReadEntry, line: number): void {
    const removed = this.#removed.get(subject)
    if (!removed) return
    if (time - removed.time < this.#survey.shortestKept - MAX_DELAY_MS - TOLERANCE_MS) {
      const later = `the entry ${number} about the same is of ${new Date(time).toISOString()}`
      throw new Broken(`its text is missing, but ${later}`, { entry: removed.last, line })
    }
    this.#assertNotHeld(subject, removed)
    this.#removed.delete(subject)
  }

  /** @throws Broken */
  finish(): void {
    for (const [subject, removed] of this.#removed) this.#assertNotHeld(subject, removed)
  }

  #assertNotHeld(subject: string, { last }: { readonly last: number }): void {
    if (!this.#held.has(subject)) return
    throw new Broken('its text is missing, but its impersonation is on hold', { entry: last })
  }
}
