import { Broken } from './broken.ts'
import { parse, type ReadEntry, readEntry, readLines } from './lines.ts'
import { type ProofInput, verifyProof } from './proof.ts'
import { Removals } from './removals.ts'
import { SealChain } from './sealed.ts'
import { type JudgedSeal, judgeSeal, unknownKey } from './signatures.ts'
import type { Verification } from './summary.ts'
import { Sums } from './sums.ts'
import { survey } from './survey.ts'

export interface VerificationInput extends ProofInput {
  /** Seals that were kept elsewhere, and what to call them. */
  readonly kept?: readonly { readonly jws: string; readonly name: string }[] | undefined
  /** The id of an impersonation (or of a refused request) whose entries are asked for. */
  readonly impersonation?: string | undefined
}

/** @throws Broken at the first thing that is wrong */
export async function verify(input: VerificationInput): Promise<Verification> {
  const { read, keys, impersonation } = input
  const only = await provedIn(read())
  if (only !== undefined) return verifyProof(input, only)
  const surveyed = await survey(readLines(read()), input)
  const { issuer, last, time, unknown } = surveyed
  const kept: JudgedSeal[] = []
  for (const { jws, name } of input.kept ?? []) {
    const seal = await judgeSeal(jws, { keys, issuer }, {})
    if (!seal.issuer) throw new Broken(unknownKey(name), {})
    kept.push(seal)
  }
  const chain = new SealChain(kept)
  const sums = new Sums(surveyed.sums)
  const removals = new Removals(surveyed)
  const ofImpersonation: ReadEntry[] = []
  let entries = 0
  let before: ReadEntry | undefined
  let end: ReturnType<typeof parse>['end']
  for await (const lines of readLines(read())) {
    for (const line of lines) {
      const { number: at } = line
      const content = parse(line)
      const { entry, impersonation: row, record } = content
      const seal = surveyed.seals.get(at)
      if (end) throw new Broken('it is not in its place', { line: at })
      if (entry) {
        before = readEntry(entry, at)
        entries += 1
        chain.add(before, at)
        removals.add(before, at)
        sums.add(before, at)
        if (before.subject === (impersonation ?? '')) ofImpersonation.push(before)
      } else if (seal) chain.addSeal(seal, at)
      else if (row) sums.addSum('impersonation', row, before, at)
      else if (record) sums.addSum('record', record, before, at)
      else if (content.end) end = content.end
      else throw new Broken('it is not in its place', { line: at })
    }
  }
  if (end?.entries !== entries || end.seals !== chain.count) {
    throw new Broken('the file does not end with how much it has: it is cut off', {})
  }
  for (const each of [sums, removals, chain]) each.finish()
  const { counts, unproved } = sums
  return {
    only,
    issuer,
    time,
    last,
    entries,
    removed: removals.entries,
    erased: { entries: removals.erased, subjects: removals.erasedIds.size },
    ofImpersonation,
    rows: counts.impersonation,
    permits: counts.record,
    unprovedRows: unproved,
    seals: chain.count,
    unknown,
    unsealed: chain.unsealed,
  }
}

/** The id of the impersonation that the file proves, if it is such a file. */
async function provedIn(parts: AsyncIterable<Buffer>): Promise<string | undefined> {
  for await (const [line] of readLines(parts)) return line && parse(line).proves
  return undefined
}
