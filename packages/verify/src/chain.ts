// Digests and seals, which hold the entries of the audit together, and the keys of rows and
// permits.
export {
  type DigestParts,
  digestOf,
  digestParts,
  entryDigestOf,
  isTextOf,
} from './format/digest.ts'
export { indexable, type StoredRow, storedRowOf } from './format/found.ts'
export { likenessOf } from './format/likeness.ts'
export { pathOf, rootOf } from './format/merkle.ts'
export { rowOf } from './format/row-of.ts'
export { type ProofClaims, type Seal, sealHashOf, sealInJws } from './format/seal.ts'
export {
  answerSlot,
  slotOf,
  stopSlot,
} from './format/slots.ts'
export { storable } from './format/text.ts'
export { foundWordsIn, wordsOf } from './format/words.ts'
