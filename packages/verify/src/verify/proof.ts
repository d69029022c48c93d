import { createHash } from 'node:crypto'
import { erasureIn } from '../format/entry.ts'
import { rootOfPath } from '../format/merkle.ts'
import { Broken } from './broken.ts'
import { parse, type ReadEntry, readEntry, readLines } from './lines.ts'
import { type JudgedSeal, judgeProof, judgeSeal, type Signer, unknownKey } from './signatures.ts'
import type { Verification } from './summary.ts'

export interface ProofInput extends Signer {
  /** Reads the file from its beginning. It is called several times. */
  read(): AsyncIterable<Buffer>
}

/**
 * A file that proves one impersonation: the provider signed all its lines, and so that nothing is missing; each entry
 * is in the seal before it.
 *
 * @throws Broken
 */
export async function verifyProof(
  { read, ...signer }: ProofInput,
  only: string,
): Promise<Verification> {
  const content = createHash('sha256')
  const entries: ReadEntry[] = []
  let seals = 0
  let sealed: JudgedSeal | undefined
  let proof: Awaited<ReturnType<typeof judgeProof>> | undefined
  for await (const lines of readLines(read())) {
    for (const line of lines) {
      const { number: at, text } = line
      const { entry, seal, proves, proof: jws } = parse(line)
      if (proof) throw new Broken('it is not in its place', { line: at })
      if (jws !== undefined) {
        proof = await judgeProof(jws, signer, { line: at })
        if (proof.content === content.digest('base64url')) continue
        throw new Broken('the lines of the file are not those that were signed', {})
      }
      content.update(`${text}\n`)
      if (seal !== undefined) {
        sealed = await judgeSeal(seal, signer, { line: at })
        if (sealed.issuer === undefined)
          throw new Broken(unknownKey(`the seal ${sealed.number}`), { line: at })
        seals += 1
      } else if (entry) {
        const { number, digest, index = 0, path = [] } = entry
        if (!sealed || rootOfPath(digest, index, sealed.count, path) !== sealed.root) {
          throw new Broken('it is not in the seal before it', { entry: number, line: at })
        }
        entries.push(readEntry(entry, at))
      } else if (proves === undefined || at > 1) {
        throw new Broken('this is no line of such a file', { line: at })
      }
    }
  }
  if (!proof) throw new Broken('the file does not end with its signature: it is cut off', {})
  const ofImpersonation = entries.filter(({ subject }) => subject === only)
  const erased = ofImpersonation.filter(({ text }) => text === undefined).length
  const isErased = entries.some(({ text }) => erasureIn(text)?.impersonations.includes(only))
  if (erased > 0 && !isErased) {
    // Retention removes all entries of an impersonation: such a file would have no text.
    throw new Broken('texts are missing, and no entry says that they were erased', {})
  }
  const { issuer, time } = proof
  return {
    only,
    issuer,
    time,
    last: Infinity,
    entries: entries.length,
    removed: erased,
    erased: { entries: erased, subjects: Math.min(erased, 1) },
    ofImpersonation,
    rows: 1,
    permits: 0,
    unprovedRows: 0,
    seals,
    unknown: 0,
    unsealed: { count: 0, since: undefined },
  }
}
