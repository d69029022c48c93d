import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Adapter } from 'oidc-provider'
import pg from 'pg'
import { createClient } from 'redis'
import { createMemoryAdapter } from '../src/adapters/memory.ts'
import { createPostgresAdapter, migrate } from '../src/adapters/postgres.ts'
import { createRedisAdapter } from '../src/adapters/redis.ts'
import { createSqliteAdapter } from '../src/adapters/sqlite.ts'
import { FILL_TTL, fillThrough, OPERATORS, subjectTokenRecord } from './fill.ts'

/** Memory of the process after a garbage collection, in megabytes. */
export interface Memory {
  readonly rss: number
  readonly heap: number
}

/** Records that a store still holds after all of them have expired. */
export interface Left {
  /** Expired records that are not removed yet. */
  readonly expired: number
  /** Records that are left when the expired ones are removed. */
  readonly live: number
}

export interface Storage {
  readonly adapter: (model: string) => Adapter
  /** Puts that many live subject tokens of this issuer into the store. */
  fill(count: number, issuer: string): Promise<void>
  /** Counts the records that are left, and may remove all of them. */
  left(): Promise<Left>
  /** Removes everything that the benchmark put there; only {@link close} may follow. */
  empty(): Promise<void>
  close(): Promise<void>
}

export interface StorageOptions {
  /** The Redis database. */
  readonly database?: number | undefined
  /** Tells this store from those of other processes, which share it by the same name. */
  readonly name?: string | undefined
}

const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test'

const open: Record<string, (options: Required<StorageOptions>) => Promise<Storage>> = {
  async memory() {
    let ahead = 0
    const adapter = createMemoryAdapter({ now: () => Date.now() + ahead })
    return {
      adapter,
      fill: (count, issuer) => fillThrough(adapter('SubjectToken'), count, issuer),
      async left() {
        const expired = await adapter.deleteExpired()
        // Move the clock one day ahead. Everything has expired then, so this removes all that is
        // left.
        ahead = 24 * 3600 * 1000
        return { expired, live: await adapter.deleteExpired() }
      },
      empty: async () => {},
      close: async () => {},
    }
  },

  async sqlite({ name }) {
    const folder = join(tmpdir(), `impersonation-bench-${name}`)
    await mkdir(folder, { recursive: true })
    const file = join(folder, 'bench.sqlite')
    const adapter = createSqliteAdapter({ file })
    return {
      adapter,
      fill: (count, issuer) => fillThrough(adapter('SubjectToken'), count, issuer),
      async left() {
        const expired = await adapter.deleteExpired()
        const database = new DatabaseSync(file, { readOnly: true })
        const row = database.prepare('SELECT count(*) AS live FROM oidc_records').get()
        database.close()
        return { expired, live: Number(row?.live) }
      },
      empty: () => rm(folder, { recursive: true }),
      close: async () => adapter.close(),
    }
  },

  async redis({ database, name }) {
    const client = createClient({ url: REDIS_URL, ...(database ? { database } : {}) })
    await client.connect()
    const keyPrefix = `impersonation-bench-${name}:`
    const eachBatch = async (run: (keys: string[]) => unknown) => {
      const pattern = { MATCH: `${keyPrefix}*`, COUNT: 1000 }
      for await (const keys of client.scanIterator(pattern)) if (keys.length > 0) await run(keys)
    }
    const adapter = createRedisAdapter({ client, keyPrefix })
    return {
      adapter,
      fill: (count, issuer) => fillThrough(adapter('SubjectToken'), count, issuer),
      async left() {
        const found = new Set<string>()
        await eachBatch((keys) => {
          for (const key of keys) found.add(key)
        })
        return { expired: 0, live: found.size }
      },
      empty: () => eachBatch((keys) => client.unlink(keys)),
      close: async () => void (await client.close()),
    }
  },

  async postgres({ name }) {
    const pool = new pg.Pool({ connectionString: POSTGRES_URL, max: 16 })
    const table = `impersonation_bench_${name}`
    await migrate(pool, { table })
    const adapter = createPostgresAdapter({ pool, table })
    // The same as in docs/adapters.md, but more often.
    const cleanUp = setInterval(() => void adapter.deleteExpired(), 30_000).unref()
    return {
      adapter,
      async fill(count, issuer) {
        // The adapter writes the first record, and the database copies the others from it. A
        // million single commits take longer than all the rest of the benchmark.
        const { id, payload } = subjectTokenRecord(issuer)
        await adapter('SubjectToken').upsert(id, payload, FILL_TTL)
        await pool.query(
          `INSERT INTO ${table}
             (model, id, payload, expires_at, account_id, client_id, actor, issued_at)
           SELECT model, o.id,
             (payload::jsonb || jsonb_build_object('jti', o.id, 'iat', o.iat, 'actor', o.actor))::text,
             expires_at, account_id, client_id, o.actor, o.iat
           FROM ${table} r, generate_series(2, $2) n, LATERAL (SELECT
             translate(rtrim(encode(sha256(n::text::bytea), 'base64'), '='), '+/', '-_') AS id,
             r.issued_at - n % 3600 AS iat,
             'operator-' || (n / 3600 + n) % ${OPERATORS} AS actor) o
           WHERE r.id = $1`,
          [id, count],
        )
        await pool.query(`VACUUM ANALYZE ${table}`)
        await pool.query('CHECKPOINT').catch(() => {})
      },
      async left() {
        const expired = await adapter.deleteExpired()
        const { rows } = await pool.query(`SELECT count(*) FROM ${table}`)
        return { expired, live: Number(rows[0].count) }
      },
      async empty() {
        clearInterval(cleanUp)
        await pool.query(`DROP TABLE ${table}`)
      },
      async close() {
        clearInterval(cleanUp)
        await pool.end()
      },
    }
  },
}

/** Opens one of the storages that the benchmark knows. */
export async function openStorage(
  storage: string,
  { database = 0, name = String(process.pid) }: StorageOptions = {},
): Promise<Storage> {
  const opened = await open[storage]?.({ database, name })
  if (!opened) throw new Error(`unknown storage ${storage}`)
  return opened
}
