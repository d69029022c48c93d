import type { AdapterFactory } from '../src/adapters/contract.ts'
import { createMemoryAdapter } from '../src/adapters/memory.ts'
import type { AuditStore } from './audit/store.ts'
import { reasonOf, StartError } from './start-error.ts'
import { memoryAudit } from './storage/memory-audit.ts'
import type { StorageUrl } from './storage/url.ts'

/** One storage for all data. */
export interface Storage {
  /** The data of the provider. */
  readonly adapter: AdapterFactory
  /** The data of the audit. */
  readonly audit: AuditStore
  close(): Promise<void>
}

/**
 * Opens the storage and checks that it answers. Loads only the driver that it uses.
 *
 * @throws StartError when it does not answer.
 */
export async function openStorage(storage: StorageUrl): Promise<Storage> {
  try {
    switch (storage.kind) {
      case 'memory':
        return { adapter: createMemoryAdapter(), audit: memoryAudit(), close: async () => {} }
      case 'sqlite':
        return await (await import('./storage/sqlite.ts')).openSqlite(storage.file)
      case 'redis':
        return await (await import('./storage/redis.ts')).openRedis(storage.url)
      case 'postgres':
        return await (await import('./storage/postgres.ts')).openPostgres(storage.url)
    }
  } catch (cause) {
    throw new StartError(`STORAGE_URL: ${storage.label} cannot be used: ${reasonOf(cause)}`, {
      cause,
    })
  }
}
