import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Adapter } from 'oidc-provider'
import pg from 'pg'
import { createClient } from 'redis'
import { createMemoryAdapter } from '../src/adapters/memory.ts'
import { createPostgresAdapter, migrate } from '../src/adapters/postgres.ts'
import { createRedisAdapter } from '../src/adapters/redis.ts'
import { createSqliteAdapter } from '../src/adapters/sqlite.ts'

export interface Storage {
  readonly adapter: (model: string) => Adapter
  /** Removes what has expired and answers how many records are left, live and expired. */
  remaining(): Promise<number>
  /** Closes it, and takes everything away that the benchmark put there. */
  close(): Promise<void>
}

const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test'

const open: Record<string, () => Promise<Storage>> = {
  async memory() {
    const adapter = createMemoryAdapter()
    return { adapter, remaining: async () => 0, close: async () => {} }
  },

  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), 'impersonation-bench-'))
    const adapter = createSqliteAdapter({ file: join(folder, 'bench.sqlite') })
    return {
      adapter,
      remaining: async () => 0,
      async close() {
        adapter.close()
        await rm(folder, { recursive: true })
      },
    }
  },

  async redis() {
    const client = createClient({ url: REDIS_URL })
    await client.connect()
    const keyPrefix = `impersonation-bench-${process.pid}`
    const keys = async () => {
      const found: string[] = []
      for await (const batch of client.scanIterator({ MATCH: `${keyPrefix}*`, COUNT: 1000 })) {
        found.push(...batch)
      }
      return found
    }
    return {
      adapter: createRedisAdapter({ client, keyPrefix }),
      remaining: async () => (await keys()).length,
      async close() {
        const left = await keys()
        for (let at = 0; at < left.length; at += 1000)
          await client.unlink(left.slice(at, at + 1000))
        await client.close()
      },
    }
  },

  async postgres() {
    const pool = new pg.Pool({ connectionString: POSTGRES_URL, max: 16 })
    const table = `impersonation_bench_${process.pid}`
    await migrate(pool, { table })
    const adapter = createPostgresAdapter({ pool, table })
    return {
      adapter,
      async remaining() {
        await adapter.deleteExpired()
        return Number((await pool.query(`SELECT count(*) FROM ${table}`)).rows[0].count)
      },
      async close() {
        await pool.query(`DROP TABLE ${table}`)
        await pool.end()
      },
    }
  },
}

/** Opens one of the storages the benchmark knows, empty. */
export async function openStorage(name: string): Promise<Storage> {
  const opened = await open[name]?.()
  if (!opened) throw new Error(`unknown storage ${name}`)
  return opened
}
