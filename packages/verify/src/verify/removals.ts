import type { DigestParts } from '../format/chain.ts'
import { Broken } from './broken.ts'
import { broken } from './chains.ts'
import type { Erasures } from './erasures.ts'
import type { Entry } from './parsed.ts'
import type { Vouchers } from './vouchers.ts'

/**
 * What was removed may be younger than a checkpoint says by this, in milliseconds: the clocks of two
 * processes differ.
 */
const TOLERANCE_MS = 600_000

interface NumberedLine extends Pick<Entry, 'sequence' | 'writer'> {
  readonly line: number
}

/** What was erased of a row at a time. */
interface ErasedLife extends Pick<Life, 'mark'> {
  readonly row: string
  /** How many are removed. */
  entries: number
  /** The first of them. */
  removed: NumberedLine | undefined
}

/** How many entries were erased, and of how many impersonations and permits. */
export interface RemovedCounts {
  readonly entries: number
  readonly impersonations: number
  readonly permits: number
}

const NOT_VOUCHED = 'its text is missing, and no checkpoint says that it was removed'

/** A row from its first entry on, until it was removed. What comes later begins a new life. */
interface Life {
  /** The time of the last entry. */
  last: number
  /** The last time that it was held or released. */
  mark: { readonly time: number; readonly isHeld: boolean } | undefined
  /** Of its entries that are removed, the one that had to be the oldest. */
  removed: { readonly position: NumberedLine; readonly before: number } | undefined
}

/**
 * Whether what is removed could be removed: the row was old enough, with all its entries, and not on
 * hold. The digests tell the times, rows and holds also of what is removed.
 */
export class Removals {
  readonly #lives = new Map<string, Life>()
  /** The same of what was erased, by row and time of the erasure. */
  readonly #erased = new Map<string, ErasedLife>()
  readonly #vouchers: Vouchers
  readonly #erasures: Erasures

  constructor(vouchers: Vouchers, erasures: Erasures) {
    this.#vouchers = vouchers
    this.#erasures = erasures
  }

  get erased(): RemovedCounts {
    const all = [...this.#erased.values()].filter(({ entries }) => entries > 0)
    const isPermit = ({ row }: ErasedLife) => this.#erasures.isPermit(row)
    const countOf = (some: readonly ErasedLife[]) => new Set(some.map(({ row }) => row)).size
    return {
      entries: all.reduce((sum, { entries }) => sum + entries, 0),
      impersonations: countOf(all.filter((life) => !isPermit(life))),
      permits: countOf(all.filter(isPermit)),
    }
  }

  /** @throws Broken */
  add(entry: Entry, parts: DigestParts | undefined, line: number): void {
    const isRemoved = entry.text === undefined
    const row = parts?.row
    const until = row === undefined ? undefined : this.#erasures.untilOf(row, parts?.time ?? 0)
    if (parts && row !== undefined && until !== undefined) {
      this.#addErased({ ...parts, row }, until, entry, line)
      return
    }
    const before = isRemoved ? this.#requireBefore(entry, parts, line) : undefined
    if (parts === undefined || row === undefined) return
    if (!this.#vouchers.haveRemoved) return
    const { time, mark } = parts
    const life = this.#lifeAt(row, time, entry)
    life.last = Math.max(life.last, time)
    if (mark && (life.mark === undefined || life.mark.time < time)) {
      life.mark = { time, isHeld: mark === 'held' }
    }
    if (before === undefined || (life.removed && life.removed.before <= before)) return
    const { writer, sequence } = entry
    life.removed = { position: { writer, sequence, line }, before }
  }

  /** @throws Broken */
  finish(): void {
    for (const life of this.#lives.values()) check(life)
    for (const { mark, removed } of this.#erased.values()) {
      if (removed && mark?.isHeld) throw heldBroken(removed)
    }
  }

  /**
   * What the provider signed may be removed, up to that time. What is told later begins the row anew, and
   * is none of it.
   */
  #addErased(
    { row, time, mark }: DigestParts & { readonly row: string },
    until: number,
    { writer, sequence, text }: Entry,
    line: number,
  ): void {
    const key = `${until} ${row}`
    const life = this.#erased.get(key) ?? { row, entries: 0, mark: undefined, removed: undefined }
    this.#erased.set(key, life)
    if (mark && (life.mark === undefined || life.mark.time < time)) {
      life.mark = { time, isHeld: mark === 'held' }
    }
    if (text !== undefined) return
    if (this.#vouchers.removedBefore(writer, sequence) === undefined) {
      throw new Broken(NOT_VOUCHED, { writer, sequence, line })
    }
    life.entries += 1
    life.removed ??= { writer, sequence, line }
  }

  /** The time before which the last entry of its row has to be. */
  #requireBefore(entry: Entry, parts: DigestParts | undefined, line: number): number {
    const before = this.#vouchers.removedBefore(entry.writer, entry.sequence)
    if (before === undefined) {
      throw broken(NOT_VOUCHED, entry, line)
    }
    if (!parts) throw broken('its text is missing, and its digest has no time', entry, line)
    if (parts.time - TOLERANCE_MS > before) {
      throw broken(`its text is missing, but it is ${tooYoung(parts.time, before)}`, entry, line)
    }
    return before
  }

  /**
   * A row that was removed begins anew with what is told later: after a pause as long as rows are kept,
   * less the time that an entry may be late.
   */
  #lifeAt(row: string, time: number, entry: Entry): Life {
    const found = this.#lives.get(row)
    const { shortestKept, longestDelay } = this.#vouchers
    const pause = Math.max(0, shortestKept - longestDelay - TOLERANCE_MS)
    if (found) {
      const { removed, mark, last } = found
      const isOne = !removed || mark?.isHeld || time - last <= pause
      // What one checkpoint has, none of it removed, was there at the same time.
      if (isOne || this.#vouchers.haveBoth(removed.position, entry)) return found
      check(found)
    }
    const life: Life = { last: time, mark: undefined, removed: undefined }
    this.#lives.set(row, life)
    return life
  }
}

function check({ last, mark, removed }: Life): void {
  if (!removed) return
  const { position, before } = removed
  if (mark?.isHeld) throw heldBroken(position)
  if (last - TOLERANCE_MS <= before) return
  throw new Broken(
    `its text is missing, but the last entry of its impersonation is ${tooYoung(last, before)}`,
    position,
  )
}

function heldBroken(position: NumberedLine): Broken {
  return new Broken('its text is missing, but its impersonation is on hold', position)
}

function tooYoung(time: number, before: number): string {
  const [of, until] = [time, before].map((each) => new Date(each).toISOString())
  return `of ${of}, and only what is older than ${until} was to be removed`
}
