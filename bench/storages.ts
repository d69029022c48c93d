import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Adapter } from 'oidc-provider'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { createPostgresAdapter, migrate } from 'oidc-provider-impersonation/adapters/postgres'
import { createRedisAdapter } from 'oidc-provider-impersonation/adapters/redis'
import { createSqliteAdapter } from 'oidc-provider-impersonation/adapters/sqlite'
import { Pool } from 'pg'
import { createClient } from 'redis'

/** A store of its own, of which the measurement leaves nothing behind. */
export interface Storage {
  readonly adapter: (model: string) => Adapter
  remove(): Promise<unknown>
}

const { REDIS_URL = 'redis://127.0.0.1:6379' } = process.env
const { POSTGRES_URL = 'postgres://postgres@127.0.0.1:5432/test' } = process.env

export const STORAGES: Readonly<Record<string, () => Promise<Storage>>> = {
  async memory() {
    return { adapter: createMemoryAdapter(), remove: async () => {} }
  },

  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), 'impersonation-bench-'))
    const adapter = createSqliteAdapter({ file: join(folder, 'bench.sqlite') })
    return {
      adapter,
      async remove() {
        adapter.close()
        await rm(folder, { recursive: true })
      },
    }
  },

  async redis() {
    // Without node-redis' own limit: the adapter has a limit already.
    const client = createClient({ url: REDIS_URL, commandOptions: { timeout: 0 } })
    await client.connect()
    const keyPrefix = `impersonation-bench-${process.pid}:`
    return {
      adapter: createRedisAdapter({ client, keyPrefix }),
      async remove() {
        for await (const keys of client.scanIterator({ MATCH: `${keyPrefix}*`, COUNT: 1000 })) {
          if (keys.length > 0) await client.unlink(keys)
        }
        await client.close()
      },
    }
  },

  async postgres() {
    const table = `impersonation_bench_${process.pid}`
    const pool = new Pool({ connectionString: POSTGRES_URL, max: 16 })
    await migrate(pool, { table })
    return {
      adapter: createPostgresAdapter({ pool, table }),
      async remove() {
        await pool.query(`DROP TABLE ${table}`)
        await pool.end()
      },
    }
  },
}
