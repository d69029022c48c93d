import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import type { AdapterFactory } from 'oidc-provider'
import pg from 'pg'
import { ENDED, verdict } from '../../packages/resource-server/test/status/status-provider.ts'
import { createPostgresAdapter, migrate } from '../../src/adapters/postgres/index.ts'
import { createRedisAdapter } from '../../src/adapters/redis/index.ts'
import { createSqliteAdapter } from '../../src/adapters/sqlite/index.ts'
import { POSTGRES_URL, REDIS_URL, suiteOn } from '../adapters/servers.ts'
import { isActive } from '../impersonations/recorded-endings.ts'
import { signingKey } from '../support/deployment.ts'
import { REFUSED } from '../support/http.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { type RestartedProvider, startRestartedProvider } from './restarted-provider.ts'

/** What an API may at most not know, in seconds, while the list can be had. */
const PROMISE = 8
/** How long an API goes on with the copy of a list, in seconds, by clocks that agree. */
const COPY_LIFE = 30

/** A storage that is put back to what it was. */
interface Restorable extends AsyncDisposable {
  readonly adapter: AdapterFactory
  backUp(): Promise<void>
  /** Resolves the storage as it was, after the commands of the page. */
  restore(page: PageOfRestore): Promise<AdapterFactory>
}

/** What docs/production.md has done to a restored storage. */
interface PageOfRestore {
  readonly sql: string
  /** What the keys of Redis match that are removed. */
  readonly pattern: string
}

async function sqliteFile(): Promise<Restorable> {
  const folder = await mkdtemp(join(tmpdir(), 'restored-'))
  const copy = join(folder, 'copy.db')
  let adapter = createSqliteAdapter({ file: join(folder, 'oidc.db') })
  const withDatabase = (file: string, sql: string) => {
    const database = new DatabaseSync(file)
    database.exec(sql)
    database.close()
  }
  return {
    adapter,
    async backUp() {
      withDatabase(join(folder, 'oidc.db'), `VACUUM INTO '${copy}'`)
    },
    async restore({ sql }) {
      adapter.close()
      withDatabase(copy, sql)
      adapter = createSqliteAdapter({ file: copy })
      return adapter
    },
    async [Symbol.asyncDispose]() {
      adapter.close()
      await rm(folder, { recursive: true })
    },
  }
}

async function postgresTable(): Promise<Restorable> {
  const pool = new pg.Pool({ connectionString: POSTGRES_URL, max: 4, idleTimeoutMillis: 0 })
  const table = `restored_${randomBytes(6).toString('hex')}`
  await migrate(pool, { table })
  const adapter = createPostgresAdapter({ pool, table })
  return {
    adapter,
    async backUp() {
      await pool.query(`CREATE TABLE ${table}_copy AS TABLE ${table}`)
    },
    async restore({ sql }) {
      await pool.query(`TRUNCATE ${table}; INSERT INTO ${table} SELECT * FROM ${table}_copy`)
      await pool.query(sql.replaceAll('oidc_records', table))
      return createPostgresAdapter({ pool, table })
    },
    async [Symbol.asyncDispose]() {
      await pool.query(`DROP TABLE IF EXISTS ${table}, ${table}_copy`)
      await pool.end()
    },
  }
}

async function redisKeys(): Promise<Restorable> {
  const client = new Redis(REDIS_URL)
  const keyPrefix = `restored_${randomBytes(6).toString('hex')}:`
  const kept = new Map<string, { value: Buffer; ttlMs: number }>()
  const keysLike = async (pattern: string) => {
    const found: string[] = []
    for await (const keys of client.scanStream({ match: pattern })) found.push(...keys)
    return found
  }
  const unlink = async (pattern: string) => {
    const keys = await keysLike(pattern)
    if (keys.length > 0) await client.unlink(keys)
  }
  const adapter = () => createRedisAdapter({ client, keyPrefix })
  return {
    adapter: adapter(),
    async backUp() {
      for (const key of await keysLike(`${keyPrefix}*`)) {
        const [value, ttlMs] = await Promise.all([client.dumpBuffer(key), client.pttl(key)])
        kept.set(key, { value, ttlMs: Math.max(ttlMs, 0) })
      }
    },
    async restore({ pattern }) {
      await unlink(`${keyPrefix}*`)
      for (const [key, { value, ttlMs }] of kept) await client.restore(key, ttlMs, value)
      await unlink(pattern.replace('oidc:', keyPrefix))
      return adapter()
    },
    async [Symbol.asyncDispose]() {
      await unlink(`${keyPrefix}*`)
      client.disconnect()
    },
  }
}

async function pageOfRestore(): Promise<PageOfRestore> {
  const page = await readFile(new URL('../../docs/production.md', import.meta.url), 'utf8')
  const [, sql] = /^## Back-up and restore$.*?^```sql\n(.*?)^```$/ms.exec(page) ?? []
  const [, pattern] = /^redis-cli --scan --pattern '(oidc:[^']+)'/m.exec(page) ?? []
  if (!sql || !pattern) throw new Error('docs/production.md: not found under Back-up and restore')
  return { sql, pattern }
}

const STORAGES = [
  { name: 'SQLite', suite: describe, open: sqliteFile },
  { name: 'PostgreSQL', suite: await suiteOn('PostgreSQL'), open: postgresTable },
  { name: 'Redis', suite: await suiteOn('Redis'), open: redisKeys },
]

for (const { name, suite, open } of STORAGES) {
  suite(`docs/production.md: a restored backup, ${name}`, () => {
    const keys = [signingKey]
    let storage: Restorable
    let provider: RestartedProvider
    let clock: ReturnType<typeof stoppedClock>
    let history: Awaited<ReturnType<typeof makeHistory>>

    beforeEach(async () => {
      clock = stoppedClock()
      storage = await open()
      provider = await startRestartedProvider()
      provider.serve({ adapter: storage.adapter, keys })
      history = await makeHistory()
    })
    afterEach(async () => {
      clock[Symbol.dispose]()
      await provider[Symbol.asyncDispose]()
      await storage[Symbol.asyncDispose]()
    })

    /** What the backup has, and what happens after it. */
    async function makeHistory() {
      const api = provider.newApi()
      const endedSince = await provider.run()
      const opaque = await provider.run(`${provider.base}/opaque`)
      const redeemedSince = await provider.issue()
      await storage.backUp()
      const begunSince = await provider.run()
      const redeemed = await provider.exchange({ subject_token: redeemedSince })
      expect(redeemed.status).to.equal(200)
      await provider.provider.impersonation.end(endedSince.id)
      await provider.provider.impersonation.end(opaque.id)
      clock.pass(PROMISE)
      expect(await verdict(api, endedSince.token)).to.equal(ENDED)
      expect(await verdict(api, begunSince.token)).to.equal('alice')
      expect(await isActive(provider, opaque.token)).to.equal(false)
      const tokens = [endedSince.token, begunSince.token, redeemed.body.access_token]
      return { api, endedSince, opaque, redeemedSince, tokens }
    }

    it('after what the page says: every API refuses what was before, single use holds, and what is new works', async () => {
      provider.serve({ adapter: await storage.restore(await pageOfRestore()), keys })
      const fresh = provider.newApi()
      for (const token of history.tokens) expect(await verdict(fresh, token)).to.equal('503')
      clock.pass(COPY_LIFE)
      for (const token of history.tokens) {
        expect(await verdict(history.api, token)).to.be.oneOf(['503', ENDED])
      }
      const again = await provider.exchange({ subject_token: history.redeemedSince })
      expect(again.body).to.deep.equal(REFUSED)
      expect(await isActive(provider, history.opaque.token)).to.equal(false)

      const { id, token } = await provider.run()
      for (const api of [fresh, history.api]) expect(await verdict(api, token)).to.equal('alice')
      await provider.provider.impersonation.end(id)
      clock.pass(PROMISE)
      for (const api of [fresh, history.api]) expect(await verdict(api, token)).to.equal(ENDED)
    })
  })
}
