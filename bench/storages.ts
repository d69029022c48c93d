import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Adapter } from 'oidc-provider'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { createPostgresAdapter, migrate } from 'oidc-provider-impersonation/adapters/postgres'
import { createRedisAdapter } from 'oidc-provider-impersonation/adapters/redis'
import { createSqliteAdapter } from 'oidc-provider-impersonation/adapters/sqlite'
import pg from 'pg'
import { createClient } from 'redis'

/** A store of its own, of which the measurement leaves nothing behind. */
export interface Storage {
  readonly adapter: (model: string) => Adapter
  /** The statements that the adapter has sent. */
  statements(): number
  remove(): Promise<unknown>
}

const { REDIS_URL = 'redis://127.0.0.1:6379' } = process.env
const { POSTGRES_URL = 'postgres://postgres@127.0.0.1:5432/test' } = process.env

export const STORAGES: Readonly<Record<string, () => Promise<Storage>>> = {
  async memory() {
    return { adapter: createMemoryAdapter(), statements: () => 0, remove: async () => {} }
  },

  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), 'impersonation-bench-'))
    let statements = 0
    // The adapter opens its file itself, so the count is taken where all its statements run.
    const count = (prototype: object, method: string) => {
      const original: unknown = Reflect.get(prototype, method)
      if (typeof original !== 'function') throw new Error(`node:sqlite has no ${method}()`)
      Reflect.set(prototype, method, function counted(this: unknown, ...args: unknown[]) {
        statements += 1
        return Reflect.apply(original, this, args)
      })
    }
    for (const method of ['run', 'get', 'all', 'iterate']) count(StatementSync.prototype, method)
    count(DatabaseSync.prototype, 'exec')
    const adapter = createSqliteAdapter({ file: join(folder, 'bench.sqlite') })
    return {
      adapter,
      statements: () => statements,
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
    let statements = 0
    const counted = {
      sendCommand(...command: Parameters<typeof client.sendCommand>) {
        statements += 1
        return client.sendCommand(...command)
      },
    }
    return {
      adapter: createRedisAdapter({ client: counted, keyPrefix }),
      statements: () => statements,
      async remove() {
        for await (const keys of client.scanIterator({ MATCH: `${keyPrefix}*`, COUNT: 1000 })) {
          if (keys.length > 0) await client.unlink(keys)
        }
        await client.close()
      },
    }
  },

  async postgres() {
    let statements = 0
    // Counted on the connection: an adapter may send through the pool, or take a client of it.
    class CountedClient extends pg.Client {
      override query = new Proxy(super.query, {
        apply(query, client, args) {
          statements += 1
          return Reflect.apply(query, client, args)
        },
      })
    }
    const table = `impersonation_bench_${process.pid}`
    const pool = new pg.Pool({ connectionString: POSTGRES_URL, max: 16, Client: CountedClient })
    await migrate(pool, { table })
    return {
      adapter: createPostgresAdapter({ pool, table }),
      statements: () => statements,
      async remove() {
        await pool.query(`DROP TABLE ${table}`)
        await pool.end()
      },
    }
  },
}
