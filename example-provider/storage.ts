import { createMemoryAdapter } from '../src/adapters/memory.ts'
import type { AdapterFactory } from '../src/adapters/record.ts'
import type { AuditStore } from './audit/entry.ts'
import { reasonOf, StartError } from './start-error.ts'
import { memoryAudit } from './storage/memory-audit.ts'
import type { StorageUrl } from './storage/url.ts'

/** One place for everything that is stored. */
export interface Storage {
  /** For the provider. */
  readonly adapter: AdapterFactory
  /** For what happened. */
  readonly audit: AuditStore
  close(): Promise<void>
}

/**
 * Opens the storage and makes sure that it answers. The drivers are loaded only where they are
 * used.
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
