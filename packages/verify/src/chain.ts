// How the entries of the audit hang together: digests, chains, and what identifies rows and permits.
export { type DigestParts, digestOf, digestParts, entryDigestOf, hashOf } from './format/chain.ts'
export {
  erasedOf,
  erasureDigestOf,
  parseErased,
  type SignedErasure,
  signedErasureOf,
} from './format/erasure.ts'
export { COUNTED_FOR_MS, likenessOf } from './format/likeness.ts'
export { rowOf } from './format/row-of.ts'
export { emergencySlot, pauseSlot, requestSlot, slotOf, standingSlot } from './format/slots.ts'
