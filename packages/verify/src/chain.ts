// How the entries of the audit hang together: digests, chains, and what identifies rows and permits.
export { type DigestParts, digestOf, digestParts, entryDigestOf, hashOf } from './format/chain.ts'
export {
  erasedOf,
  erasureDigestOf,
  type SignedErasure,
  signedErasureOf,
} from './format/erasure.ts'
export {
  indexable,
  type RowFound,
  type StoredRow,
  searchable,
  storedRowOf,
} from './format/found.ts'
export { COUNTED_FOR_MS, likenessOf } from './format/likeness.ts'
export { rowOf } from './format/row-of.ts'
export { emergencySlot, pauseSlot, requestSlot, slotOf, standingSlot } from './format/slots.ts'
export { storable } from './format/text.ts'
export { foundWordsIn, rowWordsOf, wordsOf } from './format/words.ts'
