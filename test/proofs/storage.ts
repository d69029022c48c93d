import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'
import type { AdapterFactory } from '../../src/adapters/contract.ts'
import { createPostgresAdapter } from '../../src/adapters/postgres/index.ts'
import { createRedisAdapter, type RedisClient } from '../../src/adapters/redis/index.ts'
import { createSqliteAdapter } from '../../src/adapters/sqlite/index.ts'

/** The storage that a provider process opens, and its own key prefix or table there. */
export interface StorageSpec {
  readonly driver: 'sqlite' | 'node-redis' | 'ioredis' | 'pg'
  /** A URL, or the path of a file. */
  readonly location: string
  /** Key prefix or table. */
  readonly namespace: string
  /**
   * The time that a provider process waits for its storage, in milliseconds: for a connection, a reply.
   * Only a test that injects a fault shortens it, so that a slow machine does not fail a test.
   */
  readonly timeoutMs?: number
}

const PATIENT_MS = 60_000

/** For the tests that inject a fault and have to wait until it is over. */
export const FAULT_TIMEOUT_MS = 1000
/** The longest time that an answer may take with it: the time-outs of a request add up to less. */
export const FAULT_BOUND_MS = 30_000

export interface OpenStorage {
  readonly adapter: AdapterFactory
  close(): Promise<void>
}

/** Opens a storage as docs/adapters.md says. */
export async function openStorage({
  driver,
  location,
  namespace,
  timeoutMs = PATIENT_MS,
}: StorageSpec): Promise<OpenStorage> {
  const redis = (client: RedisClient) =>
    createRedisAdapter({ client, keyPrefix: namespace, commandTimeoutMs: timeoutMs })
  switch (driver) {
    case 'sqlite': {
      const adapter = createSqliteAdapter({ file: location, busyTimeoutMs: timeoutMs })
      return { adapter, close: async () => adapter.close() }
    }
    case 'node-redis': {
      const client = createClient({
        url: location,
        disableOfflineQueue: true,
        socket: { connectTimeout: timeoutMs, reconnectStrategy: 50 },
      })
      await client.on('error', () => {}).connect()
      return { adapter: redis(client), close: async () => client.destroy() }
    }
    case 'ioredis': {
      const client = new Redis(location, {
        commandTimeout: timeoutMs,
        connectTimeout: timeoutMs,
        maxRetriesPerRequest: 1,
        enableOfflineQueue: false,
        retryStrategy: () => 50,
        lazyConnect: true,
      })
      await client.on('error', () => {}).connect()
      return { adapter: redis(client), close: async () => client.disconnect() }
    }
    case 'pg': {
      const pool = new pg.Pool({
        connectionString: location,
        connectionTimeoutMillis: timeoutMs,
        query_timeout: timeoutMs,
      })
      pool.on('error', () => {})
      const adapter = createPostgresAdapter({ pool, table: namespace })
      return { adapter, close: () => pool.end() }
    }
  }
}
