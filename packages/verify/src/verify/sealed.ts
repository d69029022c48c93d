import { rootOf } from '../format/merkle.ts'
import { sealHashOf } from '../format/seal.ts'
import { Broken } from './broken.ts'
import type { ReadEntry } from './lines.ts'
import type { JudgedSeal } from './signatures.ts'

type Sealable = Pick<ReadEntry, 'digest' | 'number' | 'time'>

/** The seals of an export, each with the entries that it covers. */
export class SealChain {
  #before: Pick<JudgedSeal, 'hash' | 'last' | 'number'> = { number: 0, last: 0, hash: '' }
  /** Entries without a seal so far. */
  #open: Sealable[] = []
  readonly #kept: readonly JudgedSeal[]

  /** @param kept seals that were kept elsewhere */
  constructor(kept: readonly JudgedSeal[]) {
    this.#kept = kept
  }

  get count(): number {
    return this.#before.number
  }

  /** Number of entries without a seal, and the time of the first of them. */
  get unsealed(): { readonly count: number; readonly since: number | undefined } {
    return { count: this.#open.length, since: this.#open[0]?.time }
  }

  /** @throws Broken */
  add({ number, digest, time }: ReadEntry, line: number): void {
    const last = this.#open.at(-1)?.number ?? this.#before.last
    if (number <= last) {
      throw new Broken('it is here a second time, or not in its place', { entry: number, line })
    }
    this.#open.push({ number, digest, time })
  }

  /** @throws Broken */
  addSeal(seal: JudgedSeal, line: number): void {
    const { number, last, count, root, hash } = seal
    const broken = (why: string) => new Broken(`the seal ${number}: ${why}`, { line })
    const expected = this.#before.number + 1
    if (number !== expected) throw broken(`the seal ${expected} had to be here`)
    const end = this.#open.findIndex((entry) => entry.number > last)
    const covered = this.#open.splice(0, end < 0 ? Infinity : end)
    const digests = covered.map(({ digest }) => digest)
    if (covered.length !== count || rootOf(digests) !== root) {
      throw broken(differenceOf(this.#before.last, covered, seal))
    }
    if (sealHashOf(this.#before.hash, root) !== hash) {
      throw broken('it does not follow from the seal before it')
    }
    if (this.#kept.some((kept) => kept.number === number && kept.hash !== hash)) {
      throw broken('the one that was kept elsewhere is of other entries: they were made again')
    }
    this.#before = seal
  }

  /** @throws Broken */
  finish(): void {
    const missing = this.#kept.find(({ number }) => number > this.count)
    if (!missing) return
    const kept = `the seal ${missing.number} of ${new Date(missing.time).toISOString()} was kept elsewhere`
    throw new Broken(`${kept}, and the file ends with the seal ${this.count}: it is cut off`, {})
  }
}

function differenceOf(
  before: number,
  covered: readonly Sealable[],
  { last, count }: JudgedSeal,
): string {
  const range = `of the entries ${before + 1} to ${last}`
  const more = covered.length - count
  if (more > 0) return `${range} it covers ${count}: ${more} were put in`
  if (more === 0) return `one ${range} was changed or moved`
  const numbers = new Set(covered.map(({ number }) => number))
  let missing = before + 1
  while (numbers.has(missing)) missing += 1
  return `${range} ${-more} are missing, the first of them the entry ${missing}`
}
