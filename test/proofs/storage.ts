import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'
import { createPostgresAdapter } from '../../src/adapters/postgres.ts'
import type { AdapterFactory } from '../../src/adapters/record.ts'
import { createRedisAdapter } from '../../src/adapters/redis.ts'
import { createSqliteAdapter } from '../../src/adapters/sqlite.ts'

/** Which storage a provider process opens, and what there is its own. */
export interface StorageSpec {
  readonly driver: 'sqlite' | 'node-redis' | 'ioredis' | 'pg'
  /** A URL, or the path of a file. */
  readonly location: string
  /** Key prefix or table. */
  readonly namespace: string
}

/** How long a provider process waits for its storage, in milliseconds: for a connection, a reply. */
export const STORAGE_TIMEOUT_MS = 400

export interface OpenStorage {
  readonly adapter: AdapterFactory
  close(): Promise<void>
}

/** Opens a storage as docs/adapters.md says, with time-outs that a test can wait for. */
export async function openStorage({
  driver,
  location,
  namespace,
}: StorageSpec): Promise<OpenStorage> {
  switch (driver) {
    case 'sqlite': {
      const adapter = createSqliteAdapter({ file: location, busyTimeoutMs: STORAGE_TIMEOUT_MS })
      return { adapter, close: async () => adapter.close() }
    }
    case 'node-redis': {
      const client = createClient({
        url: location,
        disableOfflineQueue: true,
        socket: { connectTimeout: STORAGE_TIMEOUT_MS, reconnectStrategy: 50 },
      })
      await client.on('error', () => {}).connect()
      const commandTimeoutMs = STORAGE_TIMEOUT_MS
      const adapter = createRedisAdapter({ client, keyPrefix: namespace, commandTimeoutMs })
      return { adapter, close: async () => client.destroy() }
    }
    case 'ioredis': {
      const client = new Redis(location, {
        commandTimeout: STORAGE_TIMEOUT_MS,
        connectTimeout: STORAGE_TIMEOUT_MS,
        maxRetriesPerRequest: 1,
        enableOfflineQueue: false,
        retryStrategy: () => 50,
        lazyConnect: true,
      })
      await client.on('error', () => {}).connect()
      const adapter = createRedisAdapter({ client, keyPrefix: namespace })
      return { adapter, close: async () => client.disconnect() }
    }
    case 'pg': {
      const pool = new pg.Pool({
        connectionString: location,
        connectionTimeoutMillis: STORAGE_TIMEOUT_MS,
        query_timeout: STORAGE_TIMEOUT_MS,
      })
      pool.on('error', () => {})
      const adapter = createPostgresAdapter({ pool, table: namespace })
      return { adapter, close: () => pool.end() }
    }
  }
}
