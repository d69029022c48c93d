import { decodeJwt } from 'jose'
import { digestOf } from './digest.ts'
import { type Guarded, isInteger, isObjectOf, isText } from './guards.ts'

/** Members that the provider signs about the entries since the seal before. Times are in milliseconds since the epoch. */
export const isSeal = isObjectOf({
  // 1 for the first one, and one more for each next.
  number: isInteger,
  // The number of the last entry that it covers, and how many it covers.
  last: isInteger,
  count: isInteger,
  time: isInteger,
  // Of the Merkle tree of their digests.
  root: isText,
  // See `sealHashOf`.
  hash: isText,
  // The texts of what is older may be removed; 0 where nothing is, because of its age.
  before: isInteger,
})

export type Seal = Guarded<typeof isSeal>

/** @param previous the hash of the seal before; of the first one, an empty text */
export function sealHashOf(previous: string, root: string): string {
  return digestOf(`${previous}\n${root}`)
}

/** The seal in a JWS, whoever signed it. */
export function sealInJws(jws: string): Seal | undefined {
  try {
    const { checkpoint } = decodeJwt(jws)
    return isSeal(checkpoint) ? checkpoint : undefined
  } catch {
    return undefined
  }
}

/** Members that the provider signs about a file that proves one impersonation. */
export const isProof = isObjectOf({
  // The SHA-256, base64url, of all lines before: the first one names the impersonation.
  content: isText,
  // In milliseconds since the epoch.
  time: isInteger,
})

export type ProofClaims = Guarded<typeof isProof>
