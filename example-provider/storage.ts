// One storage for all data, by STORAGE_URL: memory, an SQLite file, Redis or PostgreSQL. All copies
// of the provider share it, so that a subject token works once among all of them.
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { AdapterFactory } from 'oidc-provider-impersonation'
import type { AuditStore } from 'oidc-provider-impersonation-console'
import type { Printable } from './concealing.ts'
import { unusable } from './start-error.ts'
import type { StorageUrl } from './storage-url.ts'

export interface Storage {
  /** For the provider. */
  readonly adapter: AdapterFactory
  /** For the support console. */
  readonly audit: AuditStore
  close(): Promise<void>
}

/** How long a connection, a command of Redis and a query may take, in milliseconds. */
const CONNECT_TIMEOUT = 3000
const COMMAND_TIMEOUT = 2000
const QUERY_TIMEOUT = 5000

const CLEAN_UP_EVERY = 5 * 60 * 1000

/** @throws StartError when the storage does not answer */
export async function openStorage(storage: StorageUrl): Promise<Storage> {
  const open = { memory: openMemory, sqlite: openSqlite, redis: openRedis, postgres: openPostgres }
  return open[storage.kind](storage).catch(unusableStorage(storage))
}

/** Makes the function that says why a storage cannot be used. */
export function unusableStorage({ label, conceal }: Printable): (cause: unknown) => never {
  return unusable(`STORAGE_URL: ${label}`, conceal)
}

// Each loads its own driver and adapter, and no other.

async function openMemory(): Promise<Storage> {
  const { createMemoryAdapter } = await import('oidc-provider-impersonation/adapters/memory')
  const { createMemoryAudit } = await import('oidc-provider-impersonation-console/audit/memory')
  return { adapter: createMemoryAdapter(), audit: createMemoryAudit(), async close() {} }
}

async function openSqlite({ url: file }: StorageUrl): Promise<Storage> {
  const { createSqliteAdapter } = await import('oidc-provider-impersonation/adapters/sqlite')
  const { createSqliteAudit } = await import('oidc-provider-impersonation-console/audit/sqlite')
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const adapter = createSqliteAdapter({ file })
  return { adapter, audit: createSqliteAudit({ file }), close: async () => adapter.close() }
}

async function openRedis(storage: StorageUrl): Promise<Storage> {
  const { createRedisAdapter } = await import('oidc-provider-impersonation/adapters/redis')
  const { createRedisAudit } = await import('oidc-provider-impersonation-console/audit/redis')
  const { createClient } = await import('redis')
  let isReached = false
  const client = createClient({
    url: storage.url,
    // A request gets an error now, instead of a success at an unknown later time.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT,
      reconnectStrategy: (retries) => isReached && Math.min(50 * 2 ** retries, 2000),
    },
  })
  const { lost, back } = reportOutages('Redis', storage)
  client.on('error', (error: Error) => isReached && lost(error))
  client.on('ready', back)
  const adapter = createRedisAdapter({ client, commandTimeoutMs: COMMAND_TIMEOUT })
  try {
    await inTime(CONNECT_TIMEOUT, client.connect())
    await adapter.check()
  } catch (error) {
    client.destroy()
    throw error
  }
  isReached = true
  const close = () => inTime(COMMAND_TIMEOUT, client.close()).catch(() => client.destroy())
  return { adapter, audit: createRedisAudit({ client }), close }
}

async function openPostgres(storage: StorageUrl): Promise<Storage> {
  const postgres = await import('oidc-provider-impersonation/adapters/postgres')
  const { createPostgresAudit } = await import('oidc-provider-impersonation-console/audit/postgres')
  const { Pool } = await import('pg')
  const pool = new Pool({
    connectionString: storage.url,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: QUERY_TIMEOUT,
  })
  const { lost, back } = reportOutages('PostgreSQL', storage)
  pool.on('error', lost)
  pool.on('connect', back)
  await postgres.migrate(pool).catch(async (error) => {
    await pool.end()
    throw error
  })
  const adapter = postgres.createPostgresAdapter({ pool })
  const cleanUp = setInterval(() => adapter.deleteExpired().catch(lost), CLEAN_UP_EVERY).unref()
  const close = () => {
    clearInterval(cleanUp)
    return pool.end()
  }
  return { adapter, audit: createPostgresAudit({ pool }), close }
}

/** Rejects if the server accepts the connection but does not answer in time. */
async function inTime(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const tooLate = wait(milliseconds, undefined, { ref: false }).then(() => {
    throw new Error('it does not answer')
  })
  await Promise.race([work, tooLate])
}

/** Writes to the log once when the storage is lost, and once when it is back. */
function reportOutages(
  label: string,
  { conceal }: Printable,
): { lost(error: Error): void; back(): void } {
  let isLost = false
  return {
    lost(error) {
      if (!isLost) console.error(`${label} is lost: ${conceal(error.message || error.name)}`)
      isLost = true
    },
    back() {
      if (isLost) console.error(`${label} is back`)
      isLost = false
    },
  }
}
