import type { Adapter } from 'oidc-provider'
import { createMemoryAdapter } from '../src/adapters/memory.ts'

export interface Storage {
  readonly adapter: (model: string) => Adapter
  close(): Promise<void>
}

/** Opens one of the storages the benchmark knows, empty. */
export async function openStorage(name: string): Promise<Storage> {
  switch (name) {
    case 'memory':
      return { adapter: createMemoryAdapter(), close: async () => {} }
    default:
      throw new Error(`unknown storage ${name}`)
  }
}
