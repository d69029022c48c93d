import { StartError } from './start-error.ts'

/** Where the provider's data is kept. */
export interface StorageUrl {
  readonly kind: 'memory'
  /** What may be shown: never a password. */
  readonly label: string
}

/**
 * Reads `STORAGE_URL`.
 *
 * @throws StartError which says what is understood, without repeating what may hold a password.
 */
export function parseStorageUrl(value: string | undefined, _dataDir: string): StorageUrl {
  if (value === undefined || value === 'memory:') {
    return Object.freeze({ kind: 'memory', label: 'memory (forgotten at the end)' })
  }
  throw new StartError("STORAGE_URL is not understood: it must be 'memory:'")
}
