import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import { MAX_ROWS_BY_WORD, rowWordsOf, wordsOf } from '../filter.ts'

/** The ids of rows by each of their words. */
export class RowsByWord {
  readonly #ids = new Map<string, Set<string>>()
  /** All words in order, but for those that were added since. Some may have no row any more. */
  #words: string[] = []
  #added: string[] = []

  /** A row that is new, changed or removed. */
  move(before: AuditRow | undefined, after: AuditRow | undefined): void {
    const [gone, added] = [before, after].map((row) => new Set(row && rowWordsOf(row)))
    const id = before?.id ?? after?.id ?? ''
    for (const word of gone ?? []) {
      if (added?.delete(word)) continue
      this.#ids.get(word)?.delete(id)
      if (this.#ids.get(word)?.size === 0) this.#ids.delete(word)
    }
    for (const word of added ?? []) {
      const ids = this.#ids.get(word)
      if (ids) ids.add(id)
      else {
        this.#ids.set(word, new Set([id]))
        this.#added.push(word)
      }
    }
  }

  /**
   * The rows with the rarest word of a text, which may be the beginning of several; `undefined` where
   * these are so many that it is better to look at rows by their time.
   */
  withRarest(text: string): readonly string[] | undefined {
    let fewest: ReadonlySet<string> | undefined
    const words = wordsOf(text)
    for (const word of words) {
      const ids = this.#startingWith(word)
      if (ids && ids.size < (fewest?.size ?? Number.POSITIVE_INFINITY)) fewest = ids
    }
    return words.length === 0 ? [] : fewest && [...fewest]
  }

  /** `undefined` where there are too many. */
  #startingWith(beginning: string): ReadonlySet<string> | undefined {
    if (this.#added.length > 0) {
      const kept = this.#words.filter((word) => this.#ids.has(word))
      this.#words = [...new Set([...kept, ...this.#added])].sort()
      this.#added = []
    }
    const found = new Set<string>()
    for (let at = this.#firstFrom(beginning); ; at += 1) {
      const word = this.#words[at]
      if (!word?.startsWith(beginning)) return found
      for (const id of this.#ids.get(word) ?? []) {
        found.add(id)
        if (found.size > MAX_ROWS_BY_WORD) return undefined
      }
    }
  }

  #firstFrom(beginning: string): number {
    let [start, stop] = [0, this.#words.length]
    while (start < stop) {
      const middle = (start + stop) >> 1
      if ((this.#words[middle] ?? '') < beginning) start = middle + 1
      else stop = middle
    }
    return start
  }
}
