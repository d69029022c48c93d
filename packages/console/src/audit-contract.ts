/** For who writes an audit store: what `append` does with a batch, and how it refuses. */
export { type Batches, batches } from './ledger/recording/batches.ts'
export { foldBatch } from './ledger/stores/batch-columns.ts'
export { malformedCursor } from './ledger/stores/cursor.ts'
export { isUnstorable, UnstorableError } from './ledger/unstorable.ts'
