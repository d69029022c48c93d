/**
 * The storage refuses a batch because of what is in it. Nothing of the batch is stored, and it would be
 * refused again. Every other rejection of a write is trouble, and the batch is written again.
 */
export class UnstorableError extends Error {
  override readonly name = 'UnstorableError'
}
