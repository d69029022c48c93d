import { asciiJson } from './ascii-json.ts'
import { digestOf } from './chain.ts'
import type { Erased } from './entry.ts'
import { ifRight, isExactly, isInteger, isListOf, isObjectOf, isText } from './guards.ts'

/** The claims that the provider signs of an erasure. */
export interface SignedErasure {
  readonly version: 1
  /** Of the ids: see {@link erasureDigestOf}. */
  readonly erases: string
  /** Entries up to this time may be removed, in milliseconds since the epoch. */
  readonly until: number
}

type ErasedIds = Omit<Erased, 'signed'>

/** The SHA-256, base64url, of all ids: one signature is for these and for no others. */
export function erasureDigestOf({ impersonations, permits }: ErasedIds): string {
  return digestOf(asciiJson([impersonations, permits]))
}

/** @returns `undefined` for what is no member `erased` of an entry */
export const erasedOf = ifRight(
  isObjectOf<Erased>({
    impersonations: isListOf(isText),
    permits: isListOf(isText),
    signed: isText,
  }),
)

/** @returns `undefined` for claims that are no erasure */
export const signedErasureOf = ifRight(
  isObjectOf<SignedErasure>({ version: isExactly(1), erases: isText, until: isInteger }),
)
