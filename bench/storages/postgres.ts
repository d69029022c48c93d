import pg from 'pg'
import { createPostgresAdapter, migrate } from '../../src/adapters/postgres/index.ts'
import { FILL_TTL, OPERATOR_COUNT, subjectTokenRecord } from '../fill.ts'
import { PostgresProcesses } from './postgres-processes.ts'
import type { AuditStore, Storage, StorageOptions } from './storage.ts'

const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test'

export async function openPostgres(options: Required<StorageOptions>): Promise<Storage> {
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
  const table = `impersonation_bench_${options.name}`
  const pool = new pg.Pool({
    connectionString: POSTGRES_URL,
    // Only the tables of the console's audit are in the schema: their names are fixed.
    options: `-c search_path=${table},public`,
    max: options.poolSize,
    // A connection lasts, and with it the process whose time is read.
    idleTimeoutMillis: 0,
    Client: CountedClient,
  })
  const processes = new PostgresProcesses(pool)
  await processes.findCommon()
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
           'operator-' || (n / 3600 + n) % ${OPERATOR_COUNT} AS actor) o
         WHERE r.id = $1`,
        [id, count],
      )
      await pool.query(`VACUUM ANALYZE ${table}`)
      await pool.query('CHECKPOINT').catch(() => {})
    },
    use: async () => ({ ...processes.read(), statements }),
    async left() {
      const removed = await adapter.deleteExpired()
      const { rows } = await pool.query(
        `SELECT count(*) FILTER (WHERE expires_at > now()) AS live,
           count(*) FILTER (WHERE expires_at IS NULL OR expires_at <= now() - interval '1 s') AS expired
         FROM ${table}`,
      )
      return { removed, expired: Number(rows[0].expired), live: Number(rows[0].live) }
    },
    audit: () => postgresAudit(pool, `${table}_audit`),
    async auditPool() {
      await pool.query(`CREATE SCHEMA IF NOT EXISTS ${table}`)
      return pool
    },
    async empty() {
      clearInterval(cleanUp)
      await pool.query(`DROP SCHEMA IF EXISTS ${table} CASCADE`)
      await pool.query(`DROP TABLE IF EXISTS ${table}, ${table}_audit`)
    },
    async close() {
      clearInterval(cleanUp)
      await pool.end()
    },
  }
}

async function postgresAudit(pool: pg.Pool, table: string): Promise<AuditStore> {
  await pool.query(`CREATE TABLE IF NOT EXISTS ${table} (name text NOT NULL, event text NOT NULL)`)
  return {
    async append(entries) {
      await pool.query(`INSERT INTO ${table} SELECT * FROM unnest($1::text[], $2::text[])`, [
        entries.map(({ name }) => name),
        entries.map(({ event }) => event),
      ])
    },
    async count() {
      const { rows } = await pool.query<{ name: string; count: string }>(
        `SELECT name, count(*) FROM ${table} GROUP BY name`,
      )
      return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]))
    },
  }
}
