import { memoryAudit } from './memory-store.ts'
import type { PostgresPool } from './postgres-store.ts'
import type { RedisClient } from './redis-store.ts'
import type { AuditStore } from './store.ts'

/** Where the audit is kept: beside the data of the provider. */
export type AuditDatabase =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'redis'; readonly client: RedisClient }
  | { readonly kind: 'postgres'; readonly pool: PostgresPool }

/** A store that was opened here, and its own connection. */
export interface OpenStore extends AuditStore {
  close(): void
}

/** Creates what is missing. Loads only the store that it uses. */
export async function openAudit(database: AuditDatabase): Promise<OpenStore> {
  switch (database.kind) {
    case 'memory':
      return { ...memoryAudit(), close() {} }
    case 'sqlite':
      return (await import('./sqlite-store.ts')).sqliteAudit(database.file)
    case 'redis':
      return { ...(await import('./redis-store.ts')).redisAudit(database.client), close() {} }
    case 'postgres': {
      const { postgresAudit } = await import('./postgres-store.ts')
      return { ...(await postgresAudit(database.pool)), close() {} }
    }
  }
}
