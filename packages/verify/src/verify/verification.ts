import { ERASED_EVENT } from '../format/entry.ts'
import { Broken } from './broken.ts'
import { broken, Chains, type Linked } from './chains.ts'
import { type CheckpointsInput, readCheckpoints } from './checkpoints.ts'
import { checkErasure, signedErasures } from './erasures.ts'
import { type ImpersonationEntry, impersonationEntry } from './impersonation.ts'
import { readLines } from './lines.ts'
import { type Entry, isCheckpoint, type Parsed, parse } from './parsed.ts'
import { Removals, type RemovedCounts } from './removals.ts'
import { Repetitions } from './repetitions.ts'
import { Rows } from './rows.ts'
import { vouchersOf } from './vouchers.ts'

export interface Verification {
  readonly entries: number
  /** How many of them are removed. */
  readonly removed: number
  /** How many of these were erased, and of how many impersonations and permits. */
  readonly erased: RemovedCounts
  /** The id of the only row whose texts the file has; `undefined` where it has all. */
  readonly only: string | undefined
  /** How many entries of others have no text in such a file. */
  readonly leftOut: number
  /** Those of the impersonation that was asked for, oldest first; none where none was asked for. */
  readonly ofImpersonation: readonly ImpersonationEntry[]
  readonly chains: number
  readonly rows: number
  readonly permits: number
  /** How many rows and permits could not be compared with their entries. */
  readonly unprovedRows: number
  /** How many entries say that their event was repeated, and how often in all: that is not proved. */
  readonly repeatedEntries: number
  readonly repetitions: number
  /** How many checkpoints are valid, in the file and outside. */
  readonly checkpoints: number
  /** How many checkpoints in the file are signed with a key that is not known: they were not used. */
  readonly unknown: number
  readonly issuer: string
  /** Of the checkpoint at the end of the file, in milliseconds since the epoch. */
  readonly time: number
}

export interface VerificationInput extends CheckpointsInput {
  /** @defaultValue the one of the checkpoint at the end of the file */
  readonly issuer?: string | undefined
  /** The id of an impersonation (or of a refused request) whose entries are asked for. */
  readonly impersonation?: string | undefined
}

const LINE_ORDER: readonly Parsed['kind'][] = [
  'only',
  'head',
  'row',
  'permit',
  'entry',
  'checkpoint',
]

/** @throws Broken at the first thing that is wrong */
export async function verify(input: VerificationInput): Promise<Verification> {
  const { all, last, end, kept, unknown, erased, content } = await readCheckpoints(input)
  const vouchers = vouchersOf(all)
  const { ends } = vouchersOf(last)
  const chains = new Chains({ vouchers, keys: input.keys, issuer: end.issuer })
  const signed = { keys: input.keys, issuer: end.issuer }
  const erasures = await signedErasures(erased, signed.keys, signed.issuer)
  const removals = new Removals(vouchers, erasures)
  const repetitions = new Repetitions()
  const rows = new Rows()
  const ofImpersonation: ImpersonationEntry[] = []
  let [entries, removed, leftOut] = [0, 0, 0]
  let only: string | undefined

  /** Waits for signatures alone: most entries have none. */
  function addEntry(entry: Entry, line: number): Promise<void> | undefined {
    const linked = chains.add(entry, line)
    const { reported, proof } = linked
    const isErasure = reported?.event === ERASED_EVENT
    if (!proof && !isErasure) {
      addProved(entry, linked, line)
      return undefined
    }
    return (async () => {
      await proof
      if (isErasure) await checkErasure(entry, reported, signed, line)
      addProved(entry, linked, line)
    })()
  }

  function addProved(entry: Entry, { reported, parts }: Linked, line: number): void {
    if (entry.sequence > (ends.get(entry.writer)?.sequence ?? 0)) {
      throw broken('no checkpoint of this file vouches for it', entry, line)
    }
    entries += 1
    if (only !== undefined && parts?.row !== only && entry.text === undefined) {
      leftOut += 1
      return
    }
    removals.add(entry, parts, line)
    repetitions.add(entry, reported, line)
    if (parts?.row !== undefined) rows.addEntry(entry, reported, parts.row, line)
    if (entry.text === undefined) removed += 1
    if (parts?.row !== undefined && parts.row === input.impersonation) {
      ofImpersonation.push(impersonationEntry(entry, reported, parts.time, kept))
    }
  }

  const isSigned = end.content === content
  let stage = 0
  for await (const { lines } of readLines(input.read())) {
    for (const line of lines) {
      const parsed = parse(line, isSigned && !isCheckpoint(line))
      const order = LINE_ORDER.indexOf(parsed.kind)
      if (order < stage) throw new Broken('this line is not in its place', { line: line.number })
      stage = order
      if (parsed.kind === 'only') only = parsed.row
      if (parsed.kind === 'head') rows.addHead(parsed.head)
      if (parsed.kind === 'row') rows.addPart(parsed.start, line)
      if (parsed.kind === 'permit') rows.addPermit(parsed.part, line)
      const waiting = parsed.kind === 'entry' && addEntry(parsed.entry, line.number)
      if (waiting) await waiting
    }
  }
  for (const [writer, { sequence, time }] of vouchers.ends) {
    const reached = chains.reached(writer)
    if (reached >= sequence) continue
    const has = `the checkpoint of ${new Date(time).toISOString()} has ${sequence} entries of this chain`
    throw new Broken(`it is missing, and all after it: ${has}`, { writer, sequence: reached + 1 })
  }
  removals.finish()
  rows.finish()
  if (!isSigned) {
    throw new Broken('the lines are not those that were exported: the signed SHA-256 differs', {})
  }
  return {
    ...{ entries, removed, erased: removals.erased, only, leftOut, chains: chains.size },
    ...{ rows: rows.size, permits: rows.permits, unprovedRows: rows.unproved },
    ofImpersonation: ofImpersonation.toSorted((a, b) => a.time - b.time),
    ...{ repeatedEntries: repetitions.entries, repetitions: repetitions.events },
    ...{ checkpoints: all.length, unknown, issuer: end.issuer, time: end.time },
  }
}
