import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import type { AuditStore } from '../src/ledger/store.ts'
import { createPostgresAudit } from '../src/ledger/stores/postgres/index.ts'
import { createSqliteAudit } from '../src/ledger/stores/sqlite/index.ts'

/** A store of its own, and how everything of it is removed. */
export interface OpenStore {
  readonly store: AuditStore
  remove(): Promise<void>
}

export const STORAGES: Readonly<Record<string, () => Promise<OpenStore>>> = {
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
