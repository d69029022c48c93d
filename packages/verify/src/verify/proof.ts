import { createHash } from 'node:crypto'
import { decodeEntry, ERASED_EVENT } from '../format/entry.ts'
import { erasedOf } from '../format/erasure.ts'
import { rootOfPath } from '../format/merkle.ts'
import { Broken } from './broken.ts'
import { readLines } from './lines.ts'
import { isProvedEntry, type ProvedEntry, parse, readEntry } from './parsed.ts'
import type { ImpersonationEntry, Verification } from './result.ts'
import { type JudgedSeal, judgeProof, judgeSeal, type Signer, unknownKey } from './signatures.ts'

export interface ProofInput extends Signer {
  /** Reads the file from its beginning. It is called several times. */
  read(): AsyncIterable<Buffer>
}

/**
 * A file that proves one impersonation: the provider signed all its lines, and so that nothing is missing; each entry
 * is in a seal.
 *
 * @throws Broken
 */
export async function verifyProof({ read, ...signer }: ProofInput): Promise<Verification> {
  const content = createHash('sha256')
  const found: { readonly entry: ProvedEntry; readonly line: number }[] = []
  const seals = new Map<number, JudgedSeal>()
  let proof: Awaited<ReturnType<typeof judgeProof>> | undefined
  for await (const lines of readLines(read())) {
    for (const line of lines) {
      const { number: at, text } = line
      const parsed = parse(line)
      if (proof) throw new Broken('it is not in its place', { line: at })
      if (parsed.kind === 'proof') {
        proof = await judgeProof(parsed.jws, signer, { line: at })
        if (proof.content !== content.digest('base64url')) {
          throw new Broken('the lines of the file are not those that were signed', {})
        }
        continue
      }
      content.update(`${text}\n`)
      if (parsed.kind === 'entry' && isProvedEntry(parsed.entry)) {
        found.push({ entry: parsed.entry, line: at })
      } else if (parsed.kind === 'seal') {
        const seal = await judgeSeal(parsed.jws, signer, { line: at })
        if (seal.issuer === undefined) throw new Broken(unknownKey(seal), { line: at })
        seals.set(seal.number, seal)
      } else throw new Broken('this is no line of such a file', { line: at })
    }
  }
  if (!proof) throw new Broken('the file does not end with its signature: it is cut off', {})
  const ofImpersonation: ImpersonationEntry[] = []
  let erased = 0
  for (const { entry, line } of found) {
    const { number, index, path } = entry
    const seal = seals.get(entry.seal)
    if (!seal || rootOfPath(entry.digest, index, seal.count, path) !== seal.root) {
      throw new Broken('it is not in the seal that it names', { entry: number, line })
    }
    const { subject, time, text, reported } = readEntry(entry, line)
    if (subject !== proof.proves) continue
    const isRemoved = text === undefined
    erased += isRemoved ? 1 : 0
    ofImpersonation.push({ time, entry: reported, isRemoved, isSealed: true })
  }
  if (erased > 0 && !found.some(({ entry }) => isErasureOf(entry, proof.proves))) {
    // Retention removes all entries of an impersonation: such a file would have no text.
    throw new Broken('texts are missing, and no entry says that they were erased', {})
  }
  return {
    ...{ entries: found.length, removed: erased, only: proof.proves, ofImpersonation },
    ...{ erased: { entries: erased, impersonations: erased > 0 ? 1 : 0, permits: 0 } },
    ...{ rows: 1, permits: 0, unprovedRows: 0, seals: seals.size, unknown: 0 },
    ...{ unsealed: { count: 0, since: undefined }, issuer: proof.issuer, time: proof.time },
  }
}

function isErasureOf({ text = '' }: ProvedEntry, id: string): boolean {
  const entry = decodeEntry(text)
  if (entry?.event !== ERASED_EVENT) return false
  return erasedOf(entry.erased)?.impersonations.includes(id) === true
}
