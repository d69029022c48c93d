import type { JWTVerifyGetKey } from 'jose'
import { type DigestParts, digestParts, entryDigestOf, hashOf } from '../format/chain.ts'
import { type AuditEntry, BEGUN_EVENT, decodeEntry } from '../format/entry.ts'
import { rowOf } from '../format/row-of.ts'
import { Broken } from './broken.ts'
import type { Entry } from './parsed.ts'
import { judgeBeginning } from './signatures.ts'
import type { Vouchers } from './vouchers.ts'

export interface ChainsInput {
  readonly vouchers: Vouchers
  readonly keys: JWTVerifyGetKey
  readonly issuer: string
}

/** What an entry is, in its chain. */
export interface Linked {
  /** What the text says: `undefined` where it is removed, or of a newer version. */
  readonly reported: AuditEntry | undefined
  readonly parts: DigestParts | undefined
  /** Of a beginning: it takes a while. */
  readonly proof?: Promise<void>
}

/** The chains of all writers, as far as they are read. */
export class Chains {
  readonly #chains = new Map<string, Chain>()
  readonly #input: ChainsInput

  constructor(input: ChainsInput) {
    this.#input = input
  }

  get size(): number {
    return this.#chains.size
  }

  /** The last sequence that was read: 0 for none. */
  reached(writer: string): number {
    return this.#chains.get(writer)?.sequence ?? 0
  }

  /** @throws Broken */
  add(entry: Entry, line: number): Linked {
    const { writer } = entry
    const chain = this.#chains.get(writer) ?? new Chain(writer)
    this.#chains.set(writer, chain)
    const reported = entry.text === undefined ? undefined : decodeEntry(entry.text)
    const parts = digestParts(entry.digest)
    chain.add(entry, { reported, parts }, this.#input.vouchers, line)
    if (reported && rowOf(reported, `${writer}.${entry.sequence}`) !== entry.row) {
      throw broken('it was moved to another impersonation', entry, line)
    }
    if (entry.sequence > 1) return { reported, parts }
    return { reported, parts, proof: this.#checkBeginning(entry, reported, line) }
  }

  /** Who can only write to the storage cannot make a chain. */
  async #checkBeginning(
    entry: Entry,
    reported: AuditEntry | undefined,
    line: number,
  ): Promise<void> {
    const { keys, issuer } = this.#input
    if (reported?.event !== BEGUN_EVENT || reported.begun === undefined) {
      throw broken('its chain does not begin with what the provider signed', entry, line)
    }
    const judged = await judgeBeginning(reported.begun, keys, issuer)
    if ('problem' in judged) {
      const hint = judged.isKeyUnknown ? '. Give the keys of that time, too' : ''
      throw broken(`${judged.problem}${hint}`, entry, line)
    }
    const { begins, time } = judged.beginning
    if (begins === entry.writer && time === reported.timeMs) return
    throw broken('the provider signed the beginning of another chain', entry, line)
  }
}

/** The entries of one writer, as far as they are read. */
class Chain {
  sequence = 0
  #hash: string
  /** The last sequence at which a checkpoint agreed. */
  #agreed = 0
  /** The time of the first entry, which the provider signed, in milliseconds since the epoch. */
  #began = 0

  constructor(writer: string) {
    this.#hash = writer
  }

  add(entry: Entry, { reported, parts }: Linked, vouchers: Vouchers, line: number): void {
    const { writer, sequence, digest, hash, text } = entry
    const expected = this.sequence + 1
    if (sequence < expected) {
      throw broken('it is here a second time, or not in its place', entry, line)
    }
    if (sequence > expected) {
      const position = { writer, sequence: expected, line }
      throw new Broken(`it is missing: this line has entry ${sequence} of the chain`, position)
    }
    // What this version cannot read is parsed for its time.
    if (text !== undefined && entryDigestOf(text, entry.row, reported) !== digest) {
      const isMoved = entryDigestOf(text, parts?.row) === digest
      const isOther = 'its text is not the one that was recorded'
      throw broken(isMoved ? 'it was moved to another impersonation' : isOther, entry, line)
    }
    if (hashOf(this.#hash, digest) !== hash) {
      throw broken('its hash does not follow from it and the entry before it', entry, line)
    }
    const heads = vouchers.headsAt(writer, sequence)
    for (const vouched of heads) {
      if (vouched.hash === hash) continue
      const time = new Date(vouched.time).toISOString()
      const after = this.#agreed > 0 ? `, after entry ${this.#agreed},` : ''
      const reported = `it, or an entry before it${after} was changed: the checkpoint of ${time} has another hash here`
      throw broken(reported, entry, line)
    }
    if (heads.length > 0) this.#agreed = sequence
    if (sequence === 1) this.#began = parts?.time ?? 0
    const late =
      vouchers.delayProblem(writer, sequence, parts?.time) ??
      this.#ageProblem(parts?.time, vouchers)
    if (late !== undefined) throw broken(late, entry, line)
    this.sequence = sequence
    this.#hash = hash
  }

  /** Why an entry of that time may not be in this chain: no process writes what is so old. */
  #ageProblem(time: number | undefined, { longestDelay }: Vouchers): string | undefined {
    if (time === undefined || time + longestDelay >= this.#began) return undefined
    const [of, since] = [time, this.#began].map((each) => new Date(each).toISOString())
    return `it says that it is of ${of}, but its chain began at ${since}: it was put in later`
  }
}

export function broken(message: string, { writer, sequence }: Entry, line: number): Broken {
  return new Broken(message, { writer, sequence, line })
}
