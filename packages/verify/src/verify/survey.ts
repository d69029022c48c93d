import { ERASED_EVENT, erasureIn } from '../format/entry.ts'
import { Broken } from './broken.ts'
import { type Line, SEAL_FORMAT } from './lines.ts'
import { type JudgedSeal, judgeSeal, type Signer, unknownKey } from './signatures.ts'

const NUMBER_FORMAT = /^\{"entry":\{"number":(\d+),/
const SUM_FORMAT = /^\{"(?:impersonation|record)":\{"id":"([^"\\]*)"/

export type Survey = Awaited<ReturnType<typeof survey>>

/** Reads in the whole file by what its entries are verified. @throws Broken */
export async function survey(batches: AsyncIterable<readonly Line[]>, signer: Signer) {
  /** By the number of the line. */
  const seals = new Map<number, JudgedSeal>()
  /** Of each impersonation and permit, the number of the last entry after which its sum comes. */
  const sums = new Map<string, number>()
  const erasures: { number: number; text: string }[] = []
  // Texts of what is older may be missing; 0: none. And the shortest time for which texts were kept. In milliseconds.
  let [before, shortestKept] = [0, Infinity]
  let [number, unknown] = [0, 0]
  let lastSeal: JudgedSeal | undefined
  for await (const lines of batches) {
    for (const { text, number: line } of lines) {
      const entry = NUMBER_FORMAT.exec(text)?.[1]
      if (entry !== undefined) {
        number = Number(entry)
        if (text.includes(ERASED_EVENT)) erasures.push({ number, text })
        continue
      }
      const id = SUM_FORMAT.exec(text)?.[1]
      // A copy: a part of the text would keep the whole text in memory.
      if (id !== undefined) sums.set(Buffer.from(id, 'latin1').toString('latin1'), number)
      const jws = SEAL_FORMAT.exec(text)?.[1]
      if (jws === undefined) continue
      const { issuer = signer.issuer } = lastSeal ?? {}
      const seal = await judgeSeal(jws, { ...signer, issuer }, { line })
      seals.set(line, seal)
      if (seal.issuer === undefined) {
        if (lastSeal?.issuer !== undefined) {
          throw new Broken(unknownKey(`the seal ${seal.number}`), { line })
        }
        unknown += 1
      } else if (seal.before > 0) {
        before = Math.max(before, seal.before)
        shortestKept = Math.min(shortestKept, seal.time - seal.before)
      }
      lastSeal = seal
    }
  }
  if (!lastSeal) throw new Broken('the file has no seal: nothing of it is proved', {})
  const { issuer, last, time } = lastSeal
  if (issuer === undefined) throw new Broken(unknownKey('the last seal'), {})
  const erased = erasedIn(erasures.filter((entry) => entry.number <= last))
  return { seals, sums, unknown, issuer, last, time, erased, before, shortestKept }
}

/**
 * Returns the ids that sealed entries erase. Each has a time, in milliseconds since the epoch, up
 * to which its entries were erased.
 */
function erasedIn(entries: readonly { readonly text: string }[]) {
  const erased = new Map<string, number>()
  for (const { text } of entries) {
    const {
      impersonations = [],
      permits = [],
      until = 0,
    } = erasureIn(JSON.parse(text).entry.text) ?? {}
    for (const id of [...impersonations, ...permits]) {
      erased.set(id, Math.max(until, erased.get(id) ?? 0))
    }
  }
  return erased
}
