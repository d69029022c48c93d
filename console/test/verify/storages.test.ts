import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLocalJWKSet } from 'jose'
import { Client, Pool } from 'pg'
import { createMemoryAudit } from '../../src/audit/memory.ts'
import { createPostgresAudit } from '../../src/audit/postgres.ts'
import { createRedisAudit } from '../../src/audit/redis.ts'
import { createSqliteAudit } from '../../src/audit/sqlite.ts'
import type { AuditStore } from '../../src/audit/store.ts'
import { verify } from '../../src/verify/verification.ts'
import { connected, removeKeys } from '../audit/redis-server.ts'
import { END, history, ISSUER, KEEP_FOR, linesOfExport, signer } from './history.ts'

const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1/test'

interface Storage {
  readonly store: AuditStore
  dispose(): Promise<unknown>
}

const storages: Record<string, () => Promise<Storage>> = {
  async memory() {
    return { store: createMemoryAudit({ keepFor: KEEP_FOR }), dispose: async () => {} }
  },
  async SQLite() {
    const folder = await mkdtemp(join(tmpdir(), 'audit-verify-'))
    const store = createSqliteAudit({ file: join(folder, 'audit.db'), keepFor: KEEP_FOR })
    return { store, dispose: () => rm(folder, { recursive: true }) }
  },
  async Redis() {
    const client = await connected()
    const prefix = `audit-test-${randomUUID()}`
    return {
      store: createRedisAudit({ client, prefix, keepFor: KEEP_FOR }),
      async dispose() {
        await removeKeys(client, prefix)
        client.destroy()
      },
    }
  },
  async PostgreSQL() {
    const schema = `audit_verify_${randomUUID().replaceAll('-', '')}`
    const admin = new Client(POSTGRES_URL)
    await admin.connect()
    await admin.query(`CREATE SCHEMA ${schema}`)
    const pool = new Pool({ connectionString: POSTGRES_URL, options: `-c search_path=${schema}` })
    return {
      store: createPostgresAudit({ pool, keepFor: KEEP_FOR }),
      async dispose() {
        await pool.end()
        await admin.query(`DROP SCHEMA ${schema} CASCADE`)
        await admin.end()
      },
    }
  },
}

describe('an export that was not touched, after retention with a hold', () => {
  for (const [name, create] of Object.entries(storages)) {
    it(`of ${name} is whole`, async () => {
      const provider = await signer()
      const { store, dispose } = await create()
      try {
        await store.open()
        await history(store, provider.sign)
        const lines = await linesOfExport(store, provider.sign)
        const keys = createLocalJWKSet({ keys: [provider.jwk] })
        async function* read() {
          for (const line of lines) yield `${line}\n`
        }
        const [jws = ''] = await store.checkpoints(1)
        expect(await verify({ read, keys, kept: [{ jws, name: 'kept' }] })).to.deep.equal({
          ...{ entries: 49, removed: 19, chains: 7, checkpoints: 5, unknown: 0 },
          ...{ issuer: ISSUER, time: END },
        })
        expect(lines.filter((line) => line.includes('support.held'))).to.have.length(1)
      } finally {
        await store.close()
        await dispose()
      }
    })
  }
})
