import { Broken } from './broken.ts'
import { readLines } from './lines.ts'
import { isProvedEntry, parse, type ReadEntry, readEntry } from './parsed.ts'
import { type ProofInput, verifyProof } from './proof.ts'
import { Removals } from './removals.ts'
import type { ImpersonationEntry, Verification } from './result.ts'
import { SealChain } from './sealed.ts'
import { type JudgedSeal, judgeSeal } from './signatures.ts'
import { Sums } from './sums.ts'
import { survey } from './survey.ts'

/** A seal that was kept elsewhere, and what to call it. */
export interface KeptSeal {
  readonly jws: string
  readonly name: string
}

export interface VerificationInput extends ProofInput {
  readonly kept?: readonly KeptSeal[] | undefined
  /** The id of an impersonation (or of a refused request) whose entries are asked for. */
  readonly impersonation?: string | undefined
}

/** @throws Broken at the first thing that is wrong */
export async function verify(input: VerificationInput): Promise<Verification> {
  const { read, impersonation } = input
  if (await isProofFile(read())) return verifyProof(input)
  const surveyed = await survey(readLines(read()), input)
  const { lastSeal } = surveyed
  const { issuer } = lastSeal
  const kept: JudgedSeal[] = []
  for (const { jws, name } of input.kept ?? []) {
    const seal = await judgeSeal(jws, { keys: input.keys, issuer }, {})
    if (!seal.issuer) throw new Broken(`${name}: no key of the key set signed it`, {})
    kept.push(seal)
  }
  const chain = new SealChain(kept)
  const sums = new Sums(surveyed.sums)
  const removals = new Removals(surveyed)
  const ofImpersonation: ImpersonationEntry[] = []
  let entries = 0
  let last: ReadEntry | undefined
  let end: { readonly entries: number; readonly seals: number } | undefined

  function addEntry(entry: ReadEntry, line: number): void {
    const { subject, text, time, reported, number } = entry
    entries += 1
    chain.add(entry, line)
    if (text === undefined) {
      removals.add(entry, subject !== undefined && sums.remove(subject), line)
    } else {
      removals.keep(entry, line)
      if (subject !== undefined) sums.add(entry, subject, line)
    }
    if (subject === undefined || subject !== impersonation) return
    const isRemoved = text === undefined
    const isSealed = number <= lastSeal.last
    ofImpersonation.push({ time, entry: reported, isRemoved, isSealed })
  }

  for await (const lines of readLines(read())) {
    for (const line of lines) {
      const parsed = parse(line)
      const { number: at } = line
      const seal = surveyed.seals.get(at)
      if (end || parsed.kind === 'proof') throw new Broken('it is not in its place', { line: at })
      if (parsed.kind === 'end') end = parsed
      else if (parsed.kind === 'entry') {
        last = readEntry(parsed.entry, at)
        addEntry(last, at)
      } else if (parsed.kind === 'seal') {
        if (seal) chain.addSeal(seal, at)
      } else sums.addSum(parsed, last, at)
    }
  }
  if (end?.entries !== entries || end.seals !== chain.count) {
    throw new Broken('the file does not end with how much it has: it is cut off', {})
  }
  sums.finish()
  removals.finish()
  chain.finish()
  return {
    ...{ entries, removed: removals.entries, erased: removals.erased, only: undefined },
    ...{ ofImpersonation, rows: sums.rows, permits: sums.permits, unprovedRows: sums.unproved },
    ...{ seals: chain.count, unknown: surveyed.unknown, unsealed: chain.unsealed },
    ...{ issuer, time: lastSeal.time },
  }
}

async function isProofFile(parts: AsyncIterable<Buffer>): Promise<boolean> {
  for await (const [line] of readLines(parts)) {
    const parsed = line && parse(line)
    return parsed?.kind === 'entry' && isProvedEntry(parsed.entry)
  }
  return false
}
