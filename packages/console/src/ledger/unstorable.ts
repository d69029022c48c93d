/**
 * A store refuses a batch because of what is in it. Nothing of the batch is stored, and it would be
 * refused again. Every other rejection of a store is trouble, and the batch is written again.
 */
export class UnstorableError extends Error {
  /** A deployment that wraps a store may make its own error, with this code. */
  readonly code = 'ERR_AUDIT_UNSTORABLE'
  override readonly name = 'UnstorableError'
}

export function isUnstorable(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_AUDIT_UNSTORABLE'
}

/**
 * Folds a batch into stored rows: what that throws comes from an entry, or from a row that cannot be
 * read.
 *
 * @throws UnstorableError
 */
export function foldingOnly<T>(fold: () => T): T {
  try {
    return fold()
  } catch (cause) {
    throw new UnstorableError('an entry does not fit its row', { cause })
  }
}
