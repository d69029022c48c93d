import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { createClient } from 'redis'
import type { AuditStore } from '../src/audit/store.ts'
import { createMemoryAudit } from '../src/audit/stores/memory/index.ts'
import { createPostgresAudit } from '../src/audit/stores/postgres/index.ts'
import { createRedisAudit } from '../src/audit/stores/redis/index.ts'
import { createSqliteAudit } from '../src/audit/stores/sqlite/index.ts'

/** A store of its own, and how everything of it is removed. */
export interface OpenStore {
  readonly store: AuditStore
  remove(): Promise<void>
}

export const STORAGES: Readonly<Record<string, () => Promise<OpenStore>>> = {
  async memory() {
    return { store: createMemoryAudit({ capacity: 1_000_000 }), async remove() {} }
  },

  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), 'bench-audit-'))
    const store = createSqliteAudit({ file: join(folder, 'audit.db') })
    await store.open()
    return {
      store,
      async remove() {
        await store.close()
        await rm(folder, { recursive: true })
      },
    }
  },

  async redis() {
    const { REDIS_URL = 'redis://127.0.0.1:6379' } = process.env
    const client = createClient({ url: REDIS_URL, disableOfflineQueue: true })
    await client.connect()
    const prefix = `bench-audit-${randomUUID()}`
    const store = createRedisAudit({ client, prefix })
    await store.open()
    return {
      store,
      async remove() {
        await store.close()
        for await (const keys of client.scanIterator({ MATCH: `{${prefix}}*`, COUNT: 10_000 })) {
          if (keys.length > 0) await client.unlink(keys)
        }
        client.destroy()
      },
    }
  },

  async postgres() {
    const { POSTGRES_URL = 'postgres://postgres@127.0.0.1/test' } = process.env
    const schema = `bench_audit_${randomUUID().replaceAll('-', '')}`
    const options = `-c search_path=${schema}`
    const pool = new Pool({ connectionString: POSTGRES_URL, options })
    await pool.query(`CREATE SCHEMA ${schema}`)
    const store = createPostgresAudit({ pool })
    await store.open()
    return {
      store,
      async remove() {
        await store.close()
        await pool.query(`DROP SCHEMA ${schema} CASCADE`)
        await pool.end()
      },
    }
  },
}
