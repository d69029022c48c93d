import { digestOf } from './digest.ts'
import { ifRight, isExactly, isInteger, isObjectOf, isText } from './guards.ts'

/** What the provider signs of the entries since the seal before. Times are in milliseconds since the epoch. */
export interface Seal {
  readonly version: 1
  /** 1 for the first one, and one more for each next. */
  readonly number: number
  /** The number of the last entry that it covers. */
  readonly last: number
  /** How many entries it covers. */
  readonly count: number
  readonly time: number
  /** Of the Merkle tree of their digests. */
  readonly root: string
  /** See {@link sealHashOf}. */
  readonly hash: string
  /** The texts of what is older may be removed; 0 where nothing is, because of its age. */
  readonly before: number
}

/** @param previous the hash of the seal before; of the first one, an empty text */
export function sealHashOf(previous: string, root: string): string {
  return digestOf(`${previous}\n${root}`)
}

/** @returns `undefined` for claims that this version cannot read */
export const sealIn = ifRight(
  isObjectOf<Seal>({
    version: isExactly(1),
    number: isInteger,
    last: isInteger,
    count: isInteger,
    time: isInteger,
    root: isText,
    hash: isText,
    before: isInteger,
  }),
)

/** The seal in a JWS, whoever signed it. */
export function sealInJws(jws: string): Seal | undefined {
  const [, payload = ''] = jws.split('.')
  try {
    return sealIn(JSON.parse(Buffer.from(payload, 'base64url').toString()).checkpoint)
  } catch {
    return undefined
  }
}

/** What the provider signs of a file that proves one impersonation. */
export interface ProofClaims {
  readonly version: 1
  /** The id of the impersonation. */
  readonly proves: string
  /** The SHA-256, base64url, of all lines before. */
  readonly content: string
  /** The seals that were computed again: all entries of the impersonation that these cover are in the file. */
  readonly from: number
  readonly to: number
  /** In milliseconds since the epoch. */
  readonly time: number
}

/** @returns `undefined` for claims of anything else */
export const proofIn = ifRight(
  isObjectOf<ProofClaims>({
    version: isExactly(1),
    proves: isText,
    content: isText,
    from: isInteger,
    to: isInteger,
    time: isInteger,
  }),
)
