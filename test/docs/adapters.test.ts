import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createRedisAdapter } from '../../src/adapters/redis/index.ts'
import { createSqliteAdapter } from '../../src/adapters/sqlite/index.ts'
import {
  POSTGRES_URL,
  type PrivateRedis,
  skipWithout,
  startRedis,
  suiteOn,
} from '../adapters/servers.ts'
import { compile } from '../support/compile.ts'
import { deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { shared } from '../support/shared.ts'
import { call, pageOf, snippetsOf } from './documents.ts'

const run = promisify(execFile)

/** The code that a reader has beside the blocks. */
const GLOBALS = `
import type { Configuration } from 'oidc-provider'
import type { EndingAdapter, SingleUseAdapter } from 'oidc-provider-impersonation/adapters/contract'
import type * as postgres from 'oidc-provider-impersonation/adapters/postgres'
import type * as redis from 'oidc-provider-impersonation/adapters/redis'
import type { Provider, withSubjectTokens as wrap } from 'oidc-provider-impersonation'
import type { RedisClientType, RedisClusterType } from 'redis'
import type { Redis } from 'ioredis'

declare global {
  const issuer: string
  const configuration: Configuration & { adapter: NonNullable<Configuration['adapter']> }
  const theirs: NonNullable<Configuration['adapter']>
  const provider: Provider
  const client: Redis
  const cluster: RedisClusterType
  const { createRedisAdapter }: typeof redis
  const { createPostgresAdapter, migrate }: typeof postgres
  const withSubjectTokens: typeof wrap
  const { Pool }: typeof import('pg')
  class TheirAdapter implements SingleUseAdapter { constructor(...given: unknown[]) }
  interface TheirAdapter extends EndingAdapter { createIndexes(): Promise<void> }
  ${['Knex', 'Prisma', 'Mysql', 'Mongo', 'My']
    .map((name) => `class ${name}Adapter extends TheirAdapter {}`)
    .join('\n  ')}
  class Connection { constructor(...given: unknown[]); query(sql: unknown): Promise<void> }
  ${['PrismaClient', 'PrismaPg'].map((name) => `class ${name} extends Connection {}`).join('\n  ')}
  function createKnex(...given: unknown[]): Connection
  function createPool(...given: unknown[]): Connection
  const db: Connection
  const table: string
  const closedConnection: Connection
  function describe(name: string, run: () => void): void
  function it(name: string, run: () => unknown): void
}
`

describe('docs/adapters.md', () => {
  const snippets = shared(() => snippetsOf('adapters.md'))

  it('has code that compiles by the strictest settings, each block alone', async () => {
    await writeFile(join(snippets.folder, 'src/globals.d.ts'), GLOBALS)
    const project = [
      '-p',
      join(snippets.folder, 'tsconfig.json'),
      '--moduleDetection',
      'force',
      '--noUnusedLocals',
      'false',
    ]
    expect(await compile(project)).to.equal('')
  })

  it('has a backup of SQLite, in which a redeemed token stays redeemed', async () => {
    const page = await pageOf('adapters.md')
    const [, sql = ''] = /^sqlite3 data\/oidc\.db "(.*)"$/m.exec(page) ?? []
    const file = join(snippets.folder, 'oidc.db')
    const copy = join(snippets.folder, 'copy.db')
    const adapter = createSqliteAdapter({ file })
    await adapter('SubjectToken').upsert('a', { accountId: 'alice' }, 60)
    expect(await adapter('SubjectToken').consumeOnce('a')).to.equal(true)
    using database = new DatabaseSync(file)
    database.exec(sql.replace('backup/oidc.db', copy))
    const restored = createSqliteAdapter({ file: copy })
    expect(await restored('SubjectToken').consumeOnce('a')).to.equal(false)
    expect(await restored('SubjectToken').find('a')).to.have.property('consumed')
    await Promise.all([adapter.close(), restored.close()])
  })

  describe('the user of Redis', () => {
    let server: PrivateRedis | undefined
    let redis: Redis

    before(async function () {
      await skipWithout(this, 'redis-server')
      server = await startRedis('--appendonly', 'yes')
      const page = await pageOf('adapters.md')
      const [, command = ''] = /^(redis-cli ACL SETUSER (?:.*\\\n)*.*)$/m.exec(page) ?? []
      await run('bash', ['-euc', command.replace('redis-cli', `redis-cli -p ${server.port}`)])
      redis = new Redis(`redis://oidc:change-me@127.0.0.1:${server.port}`)
    })
    after(async () => {
      redis?.disconnect()
      await server?.kill()
    })

    it('may do all that the adapter does', async () => {
      const adapter = createRedisAdapter({ client: redis, requirePersistence: true })
      await adapter.check()
      await using deployment = await deploy({ adapter })
      await deployment.provider.impersonation.check()
      for (const isFirst of [true, false]) {
        const subject_token = await deployment.subjectToken()
        await deployment.redeem(subject_token)
        await expectAnswer(deployment.exchange({ subject_token }), 400)
        const { items } = await deployment.provider.impersonation.list({ userId: 'alice' })
        expect(items).to.have.lengthOf(isFirst ? 1 : 2)
        await deployment.provider.impersonation.endAll({ requestedBy: 'backend' })
      }
      const lists = await fetch(`${deployment.issuer}/status-lists`)
      expect(lists.status).to.equal(200)
      deployment.expectNoErrors()
    })

    it('may read no other key, and not delete or set up the server', async () => {
      for (const [name, ...args] of [
        ['GET', 'another'],
        ['KEYS', '*'],
        ['FLUSHALL'],
        ['CONFIG', 'SET', 'appendonly', 'no'],
      ] as const) {
        const refused = await redis.call(name, ...args).catch(String)
        expect(refused, name).to.include('NOPERM')
      }
    })
  })
})

const suite = await suiteOn('PostgreSQL')

suite('docs/adapters.md: consumeOnce of your own', () => {
  it('has one winner of twenty, and none once the record has expired', async () => {
    await using snippets = await snippetsOf('adapters.md')
    const { consumeOnce } = await snippets.load('`consumeOnce`, for an adapter you have')
    const pool = new pg.Pool({ connectionString: POSTGRES_URL })
    const table = `oidc_${Date.now()}`
    // The page's table, by another name.
    const own = {
      query: (sql: string, values: unknown[]) => pool.query(sql.replace('oidc', table), values),
    }
    const consume = (id: string) => call(consumeOnce, own, id)
    try {
      await pool.query(
        `CREATE TABLE ${table} (id text, consumed_at timestamptz, expires_at timestamptz)`,
      )
      await pool.query(
        `INSERT INTO ${table} VALUES ('a', NULL, now() + '1 min'), ('old', NULL, now() - '1 s'::interval)`,
      )
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => consume('a')))
      expect(outcomes.filter(Boolean)).to.have.lengthOf(1)
      expect(await consume('old')).to.equal(false)
    } finally {
      await pool.query(`DROP TABLE IF EXISTS ${table}`)
      await pool.end()
    }
  })
})
