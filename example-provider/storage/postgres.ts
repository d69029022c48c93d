import { Pool } from 'pg'
import { createPostgresAdapter, migrate } from '../../src/adapters/postgres.ts'
import type { AuditStore } from '../audit/store.ts'
import type { Storage } from '../storage.ts'
import { reportOutages } from './outages.ts'
import { postgresAudit } from './postgres-audit.ts'

/** How long a connection and a query may take, in milliseconds. */
const CONNECT_TIMEOUT = 3000
const QUERY_TIMEOUT = 5000

const CLEAN_UP_EVERY = 5 * 60 * 1000

/** A PostgreSQL database. The tables are made at the first start. */
export async function openPostgres(connectionString: string): Promise<Storage> {
  const pool = new Pool({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: QUERY_TIMEOUT,
  })
  const { lost, back } = reportOutages('PostgreSQL')
  pool.on('error', lost)
  pool.on('connect', back)
  let audit: AuditStore
  try {
    await migrate(pool)
    audit = await postgresAudit(pool)
  } catch (error) {
    await pool.end()
    throw error
  }
  const adapter = createPostgresAdapter({ pool })
  const cleanUp = setInterval(() => adapter.deleteExpired().catch(lost), CLEAN_UP_EVERY).unref()
  return {
    adapter,
    audit,
    async close() {
      clearInterval(cleanUp)
      await pool.end()
    },
  }
}
