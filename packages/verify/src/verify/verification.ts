import type { AuditEntry } from '../format/entry.ts'
import { Broken } from './broken.ts'
import { readLines } from './lines.ts'
import { isProvedEntry, parse, type ReadEntry, readEntry } from './parsed.ts'
import { type ProofInput, verifyProof } from './proof.ts'
import { Removals, type RemovedCounts } from './removals.ts'
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

/** An entry of an impersonation, as it is proved. */
export interface ImpersonationEntry {
  /** In milliseconds since the epoch. */
  readonly time: number
  /** What the text says: `undefined` where it is removed, or of a newer version. */
  readonly entry: AuditEntry | undefined
  readonly isRemoved: boolean
  readonly isSealed: boolean
}

export interface Verification {
  readonly entries: number
  /** How many of them are removed. */
  readonly removed: number
  /** How many of these were erased, and of how many impersonations and permits. */
  readonly erased: RemovedCounts
  /** The id of the impersonation that the file proves; `undefined` where it has all. */
  readonly only: string | undefined
  /** Those of the impersonation that was asked for, oldest first; none where none was asked for. */
  readonly ofImpersonation: readonly ImpersonationEntry[]
  readonly rows: number
  readonly permits: number
  /** How many rows and permits could not be compared with their entries. */
  readonly unprovedRows: number
  readonly seals: number
  /** How many of them are signed with a key that is not known: later seals vouch for them. */
  readonly unknown: number
  /** How many entries have no seal, and the time of the first of them. */
  readonly unsealed: { readonly count: number; readonly since: number | undefined }
  readonly issuer: string
  /** Of the last seal, in milliseconds since the epoch. */
  readonly time: number
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
