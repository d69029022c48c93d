import { decodeEntry, ERASED_EVENT } from '../format/entry.ts'
import { erasedOf } from '../format/erasure.ts'
import { Broken } from './broken.ts'
import type { Line } from './lines.ts'
import { type JudgedSeal, judgeSeal, type Signer, unknownKey } from './signatures.ts'

/** What was erased: up to these times, in milliseconds since the epoch. */
export interface ErasedSubject {
  readonly untils: number[]
  readonly isPermit: boolean
}

/** What the whole file says, before it is verified. */
export interface Survey {
  /** By the number of the line. */
  readonly seals: ReadonlyMap<number, JudgedSeal>
  readonly lastSeal: JudgedSeal & { readonly issuer: string }
  /** How many seals are signed with a key that is not known. */
  readonly unknown: number
  /** Of each impersonation and permit, the number of the last entry after which its sum comes. */
  readonly sums: ReadonlyMap<string, number>
  /** What sealed entries say was erased. */
  readonly erased: ReadonlyMap<string, ErasedSubject>
  /** Texts of what is older may be missing, in milliseconds since the epoch; 0: none. */
  readonly before: number
  /** The shortest time for which texts were kept, in milliseconds. */
  readonly shortestKept: number
}

const NUMBER_FORMAT = /^\{"number":(\d+),/
const SUM_FORMAT = /^\{"(?:impersonation|record)":\{"id":"([^"\\]*)"/
const SEAL_FORMAT = /^\{"seal":"([^"\\]*)"/

/** @throws Broken */
export async function survey(
  batches: AsyncIterable<readonly Line[]>,
  signer: Signer,
): Promise<Survey> {
  const seals = new Map<number, JudgedSeal>()
  const sums = new Map<string, number>()
  const erasures: { number: number; text: string }[] = []
  let [number, issuer, isSigned] = [0, signer.issuer, false]
  for await (const lines of batches) {
    for (const { text, number: line } of lines) {
      const entry = NUMBER_FORMAT.exec(text)?.[1]
      if (entry !== undefined) {
        number = Number(entry)
        if (text.includes(ERASED_EVENT)) erasures.push({ number, text })
        continue
      }
      const id = SUM_FORMAT.exec(text)?.[1]
      if (id !== undefined) sums.set(id, number)
      const jws = SEAL_FORMAT.exec(text)?.[1]
      if (jws === undefined) continue
      const seal = await judgeSeal(jws, { ...signer, issuer }, { line })
      if (seal.issuer === undefined && isSigned) throw new Broken(unknownKey(seal), { line })
      isSigned ||= seal.issuer !== undefined
      issuer ??= seal.issuer
      seals.set(line, seal)
    }
  }
  const all = [...seals.values()]
  const lastSeal = all.at(-1)
  if (!lastSeal) throw new Broken('the file has no seal: nothing of it is proved', {})
  const { issuer: signedBy } = lastSeal
  if (signedBy === undefined) {
    throw new Broken(
      'no key of the key set signed the last seal. Give the keys of that time, too',
      {},
    )
  }
  const known = all.filter((seal) => seal.issuer !== undefined)
  const removing = known.filter(({ before }) => before > 0)
  return {
    ...{ seals, sums, unknown: all.length - known.length },
    lastSeal: { ...lastSeal, issuer: signedBy },
    erased: erasedIn(erasures.filter((entry) => entry.number <= lastSeal.last)),
    before: removing.reduce((most, { before }) => Math.max(most, before), 0),
    shortestKept: removing.reduce(
      (least, { time, before }) => Math.min(least, time - before),
      Infinity,
    ),
  }
}

function erasedIn(entries: readonly { readonly text: string }[]) {
  const erased = new Map<string, ErasedSubject>()
  for (const { text: line } of entries) {
    const { text = '' }: { readonly text?: string } = JSON.parse(line)
    const reported = decodeEntry(text)
    const said = reported?.event === ERASED_EVENT ? erasedOf(reported.erased) : undefined
    if (!said) continue
    for (const [ids, isPermit] of [
      [said.impersonations, false],
      [said.permits, true],
    ] as const) {
      for (const id of ids) {
        const { untils } = erased.get(id) ?? { untils: [] }
        erased.set(id, { untils: [...untils, said.until], isPermit })
      }
    }
  }
  return erased
}
