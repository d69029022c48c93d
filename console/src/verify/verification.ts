import type { JWTVerifyGetKey } from 'jose'
import { rowOf } from '../audit/batches.ts'
import { entryDigestOf, hashOf, timeOfDigest } from '../audit/chain.ts'
import { decodeEntry } from '../audit/entry.ts'
import { Broken } from './broken.ts'
import { type Line, linesOf } from './lines.ts'
import { judge, type Vouched } from './signatures.ts'
import { type Vouchers, vouchersOf } from './vouchers.ts'

export interface Verification {
  readonly entries: number
  /** How many of them are removed. */
  readonly removed: number
  readonly chains: number
  /** How many checkpoints are valid, in the file and outside. */
  readonly checkpoints: number
  /** How many checkpoints in the file are signed with a key that is not known: they were not used. */
  readonly unknown: number
  readonly issuer: string
  /** Of the checkpoint at the end of the file, in milliseconds since the epoch. */
  readonly time: number
}

export interface VerificationInput {
  /** Reads the file from its beginning. It is called twice. */
  read(): AsyncIterable<string>
  readonly keys: JWTVerifyGetKey
  /** @defaultValue the one of the checkpoint at the end of the file */
  readonly issuer?: string | undefined
  /** Checkpoints that were kept elsewhere, and what to call them. */
  readonly kept?: readonly { readonly jws: string; readonly name: string }[] | undefined
}

/** How a line with a checkpoint begins, and no other. */
const CHECKPOINT = '{"checkpoint":'

/** @throws Broken at the first thing that is wrong */
export async function verify(input: VerificationInput): Promise<Verification> {
  const { last, ...found } = await checkpointsOf(input)
  const vouchers = vouchersOf(found.checkpoints)
  const ends = vouchersOf(last).ends
  const chains = new Map<string, Chain>()
  let [entries, removed] = [0, 0]
  for await (const line of linesOf(input.read())) {
    if (line.text.startsWith(CHECKPOINT)) continue
    const entry = parse(line)
    const chain = chains.get(entry.writer) ?? new Chain(entry.writer)
    chains.set(entry.writer, chain)
    chain.add(entry, vouchers, line.number)
    if (entry.sequence > (ends.get(entry.writer)?.sequence ?? 0)) {
      throw broken('no checkpoint of this file vouches for it', entry, line.number)
    }
    entries += 1
    if (entry.text === undefined) removed += 1
  }
  for (const [writer, { sequence, time }] of vouchers.ends) {
    const reached = chains.get(writer)?.sequence ?? 0
    if (reached >= sequence) continue
    const has = `the checkpoint of ${new Date(time).toISOString()} has ${sequence} entries of this chain`
    throw new Broken(`it is missing, and all after it: ${has}`, { writer, sequence: reached + 1 })
  }
  const [end] = last
  return {
    ...{ entries, removed, chains: chains.size },
    ...{ checkpoints: found.checkpoints.length, unknown: found.unknown },
    ...{ issuer: end?.issuer ?? '', time: end?.time ?? 0 },
  }
}

/** The valid checkpoints; `last` are the parts of the one at the end of the file. */
async function checkpointsOf({ read, keys, kept = [], ...input }: VerificationInput) {
  const inFile: { jws: string; line: number }[] = []
  let lines = 0
  for await (const { text, number } of linesOf(read())) {
    lines = number
    if (text.startsWith(CHECKPOINT)) inFile.push({ jws: jwsIn(text, number), line: number })
  }
  const end = inFile.at(-1)
  if (!end || end.line !== lines) {
    throw new Broken('the file does not end with a checkpoint: it is cut off', { line: lines })
  }
  const judged = await judge(end.jws, keys, input.issuer)
  if (!('checkpoint' in judged)) throw new Broken(judged.problem, { line: end.line })
  const { issuer, time, part, parts } = judged.checkpoint

  const checkpoints: Vouched[] = []
  const last: Vouched[] = []
  let unknown = 0
  for (const { jws, line } of inFile) {
    const each = await judge(jws, keys, issuer)
    const isLast = line > lines - parts
    if ('checkpoint' in each) {
      checkpoints.push(each.checkpoint)
      if (isLast) last.push(each.checkpoint)
    } else if (isLast || !each.isKeyUnknown) throw new Broken(each.problem, { line })
    else unknown += 1
  }
  const isWhole =
    part === parts &&
    last.length === parts &&
    last.every(
      (each, index) => each.part === index + 1 && each.parts === parts && each.time === time,
    )
  if (!isWhole) throw new Broken('parts of the last checkpoint are missing', { line: lines })
  for (const { jws, name } of kept) {
    const each = await judge(jws, keys, issuer)
    if (!('checkpoint' in each)) throw new Broken(`${name}: ${each.problem}`, {})
    checkpoints.push(each.checkpoint)
  }
  return { checkpoints, last, unknown }
}

function jwsIn(text: string, line: number): string {
  const value = json(text)
  if (typeof value === 'object' && value !== null && 'checkpoint' in value) {
    const { checkpoint } = value
    if (typeof checkpoint === 'string' && Object.keys(value).length === 1) return checkpoint
  }
  throw new Broken('this is no checkpoint', { line })
}

/** A line of the file. */
interface Entry {
  readonly writer: string
  readonly sequence: number
  readonly hash: string
  readonly digest: string
  readonly text?: string
  readonly row?: string
}

function parse({ text, number }: Line): Entry {
  const value = json(text)
  if (isEntry(value)) return value
  throw new Broken('this is no entry', { line: number })
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false
  const { writer, sequence, hash, digest, text, row }: Partial<Record<keyof Entry, unknown>> = value
  return (
    [writer, hash, digest].every((each) => typeof each === 'string') &&
    [text, row].every((each) => each === undefined || typeof each === 'string') &&
    typeof sequence === 'number' &&
    Number.isSafeInteger(sequence) &&
    sequence > 0
  )
}

/** The entries of one writer, as far as they are read. */
class Chain {
  sequence = 0
  #hash: string
  /** The last sequence at which a checkpoint agreed. */
  #agreed = 0

  constructor(writer: string) {
    this.#hash = writer
  }

  add(entry: Entry, vouchers: Vouchers, line: number): void {
    const { writer, sequence, digest, hash, text } = entry
    const expected = this.sequence + 1
    if (sequence < expected) {
      throw broken('it is here a second time, or not in its place', entry, line)
    }
    if (sequence > expected) {
      const place = { writer, sequence: expected, line }
      throw new Broken(`it is missing: this line has entry ${sequence} of the chain`, place)
    }
    if (text !== undefined && entryDigestOf(text) !== digest) {
      throw broken('its text is not the one that was recorded', entry, line)
    }
    if (hashOf(this.#hash, digest) !== hash) {
      throw broken('its hash does not follow from it and the entry before it', entry, line)
    }
    for (const vouched of vouchers.headsAt(writer, sequence)) {
      if (vouched.hash === hash) continue
      const time = new Date(vouched.time).toISOString()
      const after = this.#agreed > 0 ? `, after entry ${this.#agreed},` : ''
      throw broken(
        `it, or an entry before it${after} was changed: the checkpoint of ${time} has another hash here`,
        entry,
        line,
      )
    }
    if (vouchers.headsAt(writer, sequence).length > 0) this.#agreed = sequence
    const late = vouchers.delayProblem(writer, sequence, timeOfDigest(digest))
    if (late !== undefined) throw broken(late, entry, line)
    if (text === undefined) {
      const problem = vouchers.removalProblem(writer, sequence, timeOfDigest(digest))
      if (problem !== undefined) throw broken(problem, entry, line)
    } else this.#read(entry, text, line)
    this.sequence = sequence
    this.#hash = hash
  }

  #read({ writer, sequence, row }: Entry, text: string, line: number): void {
    const entry = decodeEntry(text)
    // A newer version can have events that this one does not know.
    if (!entry) return
    if (rowOf(entry, `${writer}.${sequence}`) === row) return
    throw new Broken('it was moved to another impersonation', { writer, sequence, line })
  }
}

function broken(message: string, { writer, sequence }: Entry, line: number): Broken {
  return new Broken(message, { writer, sequence, line })
}
