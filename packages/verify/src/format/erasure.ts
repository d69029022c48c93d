import { asciiJson } from './ascii-json.ts'
import { digestOf } from './chain.ts'
import type { Erased } from './entry.ts'
import { listOf, objectOf, oneOf, text, unlessWrong, wholeNumber } from './parsers.ts'

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

const anyText = text(0, Number.POSITIVE_INFINITY)

/** The member `erased` of an entry. */
export const parseErased = objectOf<Erased>({
  impersonations: listOf(anyText),
  permits: listOf(anyText),
  signed: anyText,
})

/** @returns `undefined` for what is no such member */
export const erasedOf = unlessWrong(parseErased)

/** @returns `undefined` for claims that are no erasure */
export const signedErasureOf = unlessWrong(
  objectOf<SignedErasure>({
    version: oneOf([1]),
    erases: anyText,
    until: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  }),
)
