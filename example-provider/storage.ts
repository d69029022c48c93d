// One storage for all data, by STORAGE_URL: memory, an SQLite file, Redis or PostgreSQL. All copies
// of the provider share it, so that a subject token works once among all of them. Redis keeps no
// audit, so AUDIT_URL names another storage for it.
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { AdapterFactory } from 'oidc-provider-impersonation'
import type { AuditStore } from 'oidc-provider-impersonation-console'
import type { StorageUrl } from './config.ts'
import { unusable } from './start-error.ts'

export interface Storage {
  /** For the provider. */
  readonly adapter: AdapterFactory
  /** For the support console. */
  readonly audit: AuditStore
  close(): Promise<void>
}

/** The timeout of a connection, a command of Redis and a query, in milliseconds. */
const CONNECT_TIMEOUT = 3000
const COMMAND_TIMEOUT = 2000
const QUERY_TIMEOUT = 5000

const CLEAN_UP_EVERY = 5 * 60 * 1000

/** The `keepFor` of an audit in memory, in seconds. */
const DAY_S = 86_400

/** @throws StartError when the storage, or the one of the audit, does not answer */
export async function openStorage(storage: StorageUrl, auditUrl: StorageUrl): Promise<Storage> {
  const open = { memory: openMemory, sqlite: openSqlite, redis: openRedis, postgres: openPostgres }
  const { adapter, close, audit } = await open[storage.kind](storage).catch(
    unusableStorage(storage),
  )
  if (audit) return { adapter, audit, close }
  try {
    const own = await openAudit(auditUrl)
    return { adapter, audit: own.audit, close: () => close().finally(own.close) }
  } catch (error) {
    await close()
    return unusable(`AUDIT_URL: ${auditUrl.label}`)(error)
  }
}

/** A storage without an audit has `undefined`. */
type Opened = Pick<Storage, 'adapter' | 'close'> & { readonly audit: AuditStore | undefined }

/** Makes the function that says why a storage cannot be used. */
export function unusableStorage({ label }: StorageUrl): (cause: unknown) => never {
  return unusable(`STORAGE_URL: ${label}`)
}

// Each loads its own driver and adapter, and no other.

async function openMemory(): Promise<Opened> {
  const { createMemoryAdapter } = await import('oidc-provider-impersonation/adapters/memory')
  const { createSqliteAudit } = await import('oidc-provider-impersonation-console/audit/sqlite')
  const audit = createSqliteAudit({ file: ':memory:', keepFor: DAY_S })
  return { adapter: createMemoryAdapter(), audit, async close() {} }
}

async function openSqlite(storage: StorageUrl): Promise<Opened> {
  const { createSqliteAdapter } = await import('oidc-provider-impersonation/adapters/sqlite')
  const audit = await sqliteAudit(storage)
  const adapter = createSqliteAdapter({ file: storage.url })
  return { adapter, audit, close: async () => adapter.close() }
}

async function sqliteAudit({ url: file }: StorageUrl): Promise<AuditStore> {
  const { createSqliteAudit } = await import('oidc-provider-impersonation-console/audit/sqlite')
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  return createSqliteAudit({ file })
}

async function openRedis(storage: StorageUrl): Promise<Opened> {
  const { createRedisAdapter } = await import('oidc-provider-impersonation/adapters/redis')
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
  const { lost, back } = reportOutages('Redis')
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
  return { adapter, audit: undefined, close }
}

async function openPostgres(storage: StorageUrl): Promise<Opened> {
  const postgres = await import('oidc-provider-impersonation/adapters/postgres')
  const { pool, audit, lost } = await openPool(storage)
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
  return { adapter, audit, close }
}

async function openPool(storage: StorageUrl) {
  const { createPostgresAudit } = await import('oidc-provider-impersonation-console/audit/postgres')
  const { Pool } = await import('pg')
  const pool = new Pool({
    connectionString: storage.url,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: QUERY_TIMEOUT,
  })
  const { lost, back } = reportOutages('PostgreSQL')
  pool.on('error', lost)
  pool.on('connect', back)
  return { pool, audit: createPostgresAudit({ pool }), lost }
}

/** The audit alone. The console opens it again, which changes nothing, and closes it. */
async function openAudit(url: StorageUrl): Promise<Pick<Storage, 'audit' | 'close'>> {
  if (url.kind === 'sqlite') {
    const audit = await sqliteAudit(url)
    await audit.open()
    return { audit, async close() {} }
  }
  const { pool, audit } = await openPool(url)
  const close = () => pool.end()
  await audit.open().catch(async (error) => {
    await close()
    throw error
  })
  return { audit, close }
}

/** Rejects if the server accepts the connection but does not answer in time. */
async function inTime(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const tooLate = wait(milliseconds, undefined, { ref: false }).then(() => {
    throw new Error('it does not answer')
  })
  await Promise.race([work, tooLate])
}

/** Writes to the log once when the storage is lost, and once when it is back. */
function reportOutages(label: string): { lost(error: Error): void; back(): void } {
  let isLost = false
  return {
    lost(error) {
      if (!isLost) console.error(`${label} is lost: ${error.message || error.name}`)
      isLost = true
    },
    back() {
      if (isLost) console.error(`${label} is back`)
      isLost = false
    },
  }
}
