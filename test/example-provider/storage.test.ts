import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Context } from 'mocha'
import { Client } from 'pg'
import { readConfig } from '../../example-provider/config.ts'
import { StartError } from '../../hosting/start-error.ts'
import { openStorage } from '../../hosting/storage.ts'
import { createSqliteAdapter } from '../../src/adapters/sqlite/index.ts'
import { freePort, POSTGRES_URL, skipWithout } from '../adapters/servers.ts'
import { startRedis } from './redis-server.ts'
import {
  type Answer,
  basic,
  type Example,
  postForm,
  postJson,
  runMain,
  signIn,
  start,
  temporaryFolder,
} from './support.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
const TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/** One of several copies: the address where it listens, which differs from its BASE_URL. */
interface Copy extends Example {
  readonly own: string
}

/** Where it keeps everything. */
interface Urls {
  readonly STORAGE_URL: string
  readonly AUDIT_URL: string
}

/** Copies of the example with one BASE_URL, which is that of the first, and one storage. */
async function copies(count: number, dataDir: string, urls: Urls): Promise<Copy[]> {
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()))
  return Promise.all(
    ports.map(async (port) => {
      const example = await start({
        PORT: String(port),
        BASE_URL: `http://localhost:${ports[0]}`,
        DATA_DIR: dataDir,
        ...urls,
      })
      return { ...example, own: `http://localhost:${port}` }
    }),
  )
}

async function issue(base: string): Promise<string> {
  const machine = await postForm(
    `${base}/oidc/token`,
    { grant_type: 'client_credentials', resource: `${base}/api`, scope: 'impersonate' },
    basic('support-backend', 'support-backend-secret'),
  )
  const { body } = await postJson(
    `${base}/api/subject-tokens`,
    { userId: 'alice' },
    String(machine.body.access_token),
  )
  return String(body.subjectToken)
}

/** @param at the copy that is asked, of the provider at `base` */
function exchange(
  base: string,
  subjectToken: string,
  at = base,
  actor: Record<string, string> = {},
): Promise<Answer> {
  return postForm(`${at}/oidc/token`, {
    grant_type: GRANT,
    client_id: 'support-tool',
    subject_token: subjectToken,
    subject_token_type: TYPE,
    resource: `${base}/orders`,
    scope: 'orders:read',
    ...actor,
  })
}

it('does not start on a storage that forgets what was consumed, and says so in one sentence', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'oidc.db')
  createSqliteAdapter({ file }).close()
  const database = new DatabaseSync(file)
  database.exec(`CREATE TRIGGER forgetful AFTER UPDATE OF consumed_at ON oidc_records
                 BEGIN UPDATE oidc_records SET consumed_at = NULL WHERE rowid = NEW.rowid; END`)
  database.close()
  const { code, stdout, stderr } = await runMain({ STORAGE_URL: `sqlite:${file}` })
  expect(code).to.equal(1)
  expect(stdout).to.equal('')
  expect(stderr.replace(/^\(.*Warning.*\n|^\(Use .*\n/gm, '')).to.equal(
    `STORAGE_URL: SQLite, ${file} cannot be used: The storage adapter cannot keep subject tokens: consumeOnce() resolved true for 20 of 20 callers at once, and it has to for exactly one.\n`,
  )
})

describe('example provider: storage', function () {
  this.timeout(120_000)

  describe('SQLite', () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    before(async () => {
      folder = await temporaryFolder()
    })
    after(() => folder[Symbol.asyncDispose]())

    it('is the default: a file in the data folder, for its owner alone', async () => {
      const dataDir = join(folder.path, 'not', 'there', 'yet')
      const example = await start({ DATA_DIR: dataDir, STORAGE_URL: '' })
      const { mode } = await stat(join(dataDir, 'provider.sqlite'))
      await example.close()
      expect(mode & 0o777).to.equal(0o600)
    })

    it('says so when the audit cannot be kept in it', async () => {
      const file = join(folder.path, 'no-audit.sqlite')
      createSqliteAdapter({ file }).close()
      const database = new DatabaseSync(file)
      database.exec('CREATE VIEW impersonation_audit_row AS SELECT 1 AS id')
      database.close()
      const { code, stdout, stderr } = await runMain({ STORAGE_URL: `sqlite:${file}` })
      expect([code, stdout]).to.deep.equal([1, ''])
      expect(stderr).to.match(/^STORAGE_URL: SQLite, .*no-audit\.sqlite cannot be used: .+\n$/m)
    })

    it('says so when the file is something else', async () => {
      const config = readConfig({ STORAGE_URL: `sqlite:${import.meta.filename}` })
      const error = await openStorage(config.storage, config.audit).catch((error: unknown) => error)
      expect(error).to.be.instanceOf(StartError)
      expect(String(error)).to.include('STORAGE_URL').and.include('storage.test.ts')
    })
  })

  describe('Redis', () => {
    let server: Awaited<ReturnType<typeof startRedis>>
    before(async function () {
      await skipWithout(this, 'redis-server')
      server = await startRedis(await freePort(), '--requirepass', 'hunter2')
    })
    after(() => server?.stop())

    const urls = (folder: string): Urls => ({
      STORAGE_URL: `redis://:hunter2@127.0.0.1:${server?.port}`,
      AUDIT_URL: `sqlite:${join(folder, 'audit.sqlite')}`,
    })

    // On SQLite and PostgreSQL, processes of their own prove both: copies.proof.ts.
    it('keeps what it stores across a restart: a token works once', async () => {
      await using folder = await temporaryFolder()
      const [before] = await copies(1, folder.path, urls(folder.path))
      const [used, unused] = [await issue(before?.url ?? ''), await issue(before?.url ?? '')]
      expect((await exchange(before?.url ?? '', used)).status).to.equal(200)
      await before?.close()

      const environment = {
        PORT: new URL(before?.own ?? '').port,
        DATA_DIR: folder.path,
        ...urls(folder.path),
      }
      const after = await start(environment)
      expect((await exchange(after.url, used)).status).to.equal(400)
      expect((await exchange(after.url, unused)).status).to.equal(200)
      expect((await exchange(after.url, unused)).status).to.equal(400)
      await after.close()
    })

    it('makes one provider of several copies: a token works once among them', async () => {
      await using folder = await temporaryFolder()
      const [first, second, third] = await copies(3, folder.path, urls(folder.path))
      if (!first || !second || !third) throw new Error('three copies were asked for')

      // A sign-in at the first copy is valid at the backend of the second; the third exchanges its
      // token.
      const operator = await signIn(first.url)
      const request = { userId: 'alice', reason: 'r', ticketId: 't' }
      const issued = await postJson(`${second.own}/support/impersonations`, request, operator)
      expect(issued.status).to.equal(201)
      const token = String(issued.body.subjectToken)
      const actor = { actor_token: operator, actor_token_type: TYPE }
      const answers = await Promise.all(
        [first, second, third].flatMap(({ own }) =>
          Array.from({ length: 5 }, () => exchange(first.url, token, own, actor)),
        ),
      )
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).to.deep.equal([200, ...Array(14).fill(400)])
      await Promise.all([first, second, third].map((copy) => copy.close()))
    })

    it('says so when the password is wrong, without repeating it', async () => {
      const STORAGE_URL = `redis://:wrong-secret@127.0.0.1:${server?.port}`
      const { code, stderr } = await runMain({
        STORAGE_URL,
        AUDIT_URL: 'sqlite:never-opened.sqlite',
      })
      expect(code).to.equal(1)
      expect(stderr).to.match(/^STORAGE_URL: redis:\/\/127\.0\.0\.1:\d+ cannot be used: .*\n$/)
      expect(stderr).not.to.include('wrong-secret')
    })

    it('answers errors in bounded time while the server is gone, and works again afterwards', async () => {
      const port = await freePort()
      let redis = await startRedis(port)
      if (!redis) throw new Error('redis-server did not start')
      await using folder = await temporaryFolder()
      const STORAGE_URL = `redis://127.0.0.1:${port}`
      const example = await start({ ...urls(folder.path), STORAGE_URL })
      const log = console.error
      console.error = () => {}
      try {
        const token = await issue(example.url)
        await redis.stop()
        const since = performance.now()
        expect((await exchange(example.url, token)).status).to.equal(500)
        expect(performance.now() - since).to.be.below(20_000)

        redis = await startRedis(port)
        let works = false
        for (let tries = 0; tries < 300 && !works; tries += 1) {
          works = (await issue(example.url)).length > 20
          if (!works) await wait(100)
        }
        expect(works).to.equal(true)
      } finally {
        console.error = log
        await example.close()
        await redis?.stop()
      }
    })
  })

  describe('PostgreSQL', () => {
    const database = `example_${randomUUID().replaceAll('-', '')}`
    const url = new URL(POSTGRES_URL)
    url.pathname = `/${database}`

    async function administer(sql: string): Promise<void> {
      const client = new Client({ connectionString: POSTGRES_URL })
      await client.connect()
      await client.query(sql)
      await client.end()
    }

    let created = false
    before(async function () {
      await skipWithout(this, 'PostgreSQL')
      await administer(`CREATE DATABASE ${database}`)
      created = true
    })
    after(async () => {
      if (created) await administer(`DROP DATABASE ${database} WITH (FORCE)`)
    })

    it('keeps the audit alone where everything else is in Redis', async function () {
      const redis = await startOwnRedis(this)
      const client = new Client({ connectionString: url.href })
      await client.connect()
      try {
        const STORAGE_URL = `redis://127.0.0.1:${redis.port}`
        const example = await start({ STORAGE_URL, AUDIT_URL: url.href })
        expect((await exchange(example.url, await issue(example.url))).status).to.equal(200)
        await example.close()
        const tables = await client.query(
          "SELECT DISTINCT split_part(relname, '_', 2) AS of FROM pg_stat_user_tables",
        )
        expect(tables.rows).to.deep.equal([{ of: 'audit' }])
        const starts = await client.query(
          "SELECT 1 FROM impersonation_audit_entry WHERE text LIKE '%impersonation.granted%'",
        )
        expect(starts.rowCount).to.equal(1)
      } finally {
        await client.end()
        await redis.stop()
      }
    })

    it('says so when the audit cannot be kept there, and tells no secret', async function () {
      const redis = await startOwnRedis(this)
      const none = new URL(url)
      none.pathname = '/no-such-secret'
      const STORAGE_URL = `redis://127.0.0.1:${redis.port}`
      const { code, stderr } = await runMain({ STORAGE_URL, AUDIT_URL: none.href })
      await redis.stop()
      expect(code).to.equal(1)
      expect(stderr).to.match(/^AUDIT_URL: postgres:\/\/[^/]+ cannot be used: .*"…".*\n$/m)
      expect(stderr).not.to.include('secret')
    })

    it('says so when there is no such database or user, without repeating what may be a secret', async () => {
      const [none, stranger] = [new URL(url), new URL(url)]
      none.pathname = '/no-such-secret'
      none.password ||= 'a-secret'
      stranger.username = 'no-such-secret'
      for (const other of [none, stranger]) {
        const { code, stderr } = await runMain({ STORAGE_URL: other.href })
        expect(code).to.equal(1)
        expect(stderr).to.match(/^STORAGE_URL: postgres:\/\/[^/]+ cannot be used: .*"…".*\n$/)
        expect(stderr).not.to.include('secret')
      }
    })
  })
})

async function startOwnRedis(context: Context) {
  await skipWithout(context, 'redis-server')
  return (await startRedis(await freePort())) ?? expect.fail('redis-server did not start')
}
