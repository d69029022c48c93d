import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { readConfig } from '../../example-provider/config.ts'
import { StartError } from '../../example-provider/start-error.ts'
import { createSqliteAdapter } from '../../src/adapters/sqlite/index.ts'
import { freePort, POSTGRES_URL, skipWithout } from '../adapters/servers.ts'
import { skip } from '../support/skipping.ts'
import { startRedis } from './redis-server.ts'
import { exchange, issueDirectly, runMain, start, temporaryFolder } from './support.ts'

const AUDIT_URL = 'postgres://audit/oidc'

describe('STORAGE_URL and AUDIT_URL of the example', function () {
  this.timeout(120_000)

  const understood: [environment: Record<string, string>, storage: string, audit: string][] = [
    [{ DATA_DIR: '/d' }, 'SQLite, /d/provider.sqlite', 'SQLite, /d/provider.sqlite'],
    [{ STORAGE_URL: 'sqlite:/d/x.db' }, 'SQLite, /d/x.db', 'SQLite, /d/x.db'],
    [{ STORAGE_URL: 'memory:' }, 'memory, forgotten at the end', 'memory, forgotten at the end'],
    [{ STORAGE_URL: 'postgres://joe:p%40w@db/oidc' }, 'postgres://db', 'postgres://db'],
    [
      { STORAGE_URL: 'rediss://joe:pw@db:6380/1', AUDIT_URL },
      'rediss://db:6380',
      'postgres://audit',
    ],
    [{ STORAGE_URL: 'redis://db', AUDIT_URL: 'sqlite:/d/a.db' }, 'redis://db', 'SQLite, /d/a.db'],
  ]
  for (const [environment, storage, audit] of understood) {
    it(`${Object.values(environment).join(', ')} are ${storage}, and ${audit}`, () => {
      const config = readConfig(environment)
      expect([config.storage.label, config.audit.label]).to.deep.equal([storage, audit])
    })
  }

  const refused: [environment: Record<string, string>, wayOut: RegExp][] = [
    [{ STORAGE_URL: 'mysql://joe:hunter2@db' }, /^STORAGE_URL is not understood: it must be/],
    [{ STORAGE_URL: 'sqlite://x.db' }, /^STORAGE_URL is not understood: it must be/],
    [{ STORAGE_URL: 'postgres://joe:12/hunter2@db/oidc' }, /percent-encoded \(@ is %40/],
    [{ STORAGE_URL: 'redis://joe:12#hunter2@db' }, /percent-encoded \(@ is %40/],
    [{ STORAGE_URL: 'redis://db' }, /^Redis does not keep the audit: AUDIT_URL must be/],
    [{ STORAGE_URL: 'redis://db', AUDIT_URL: 'redis://db' }, /AUDIT_URL must be postgres:/],
    [{ STORAGE_URL: 'postgres://db/oidc', AUDIT_URL }, /^AUDIT_URL is for STORAGE_URL=redis:/],
  ]
  for (const [environment, wayOut] of refused) {
    it(`${Object.values(environment).join(', ')} are refused, with the way out and no password`, () => {
      expect(() => readConfig(environment))
        .to.throw(StartError, wayOut)
        .with.property('message')
        .that.does.not.include('hunter2')
    })
  }

  async function expectUnusable(environment: Record<string, string>, why: RegExp): Promise<void> {
    const error = await start(environment).catch((error: unknown) => error)
    expect(error).to.be.instanceOf(StartError)
    expect(String(error)).to.match(why).and.not.include('hunter2')
  }

  for (const scheme of ['redis', 'postgres']) {
    it(`${scheme}: that nothing listens, or that nothing answers, is said in time`, async () => {
      await using folder = await temporaryFolder()
      const audit = { AUDIT_URL: `sqlite:${folder.path}/audit.sqlite` }
      const at = (port: number) => ({
        ...(scheme === 'redis' ? audit : {}),
        STORAGE_URL: `${scheme}://joe:hunter2@127.0.0.1:${port}/0`,
      })
      await expectUnusable(at(await freePort()), /: STORAGE_URL: .* cannot be used: .*ECONNREFUSED/)
      const silent = createServer((socket) => socket.on('error', () => {}))
      const port = await freePort()
      silent.listen(port, '127.0.0.1')
      await expectUnusable(at(port), /: STORAGE_URL: .* cannot be used: /)
      silent.close()
    })
  }

  it('redis: that the password is wrong is said', async function () {
    await using redis = await startRedis(await freePort(), '--requirepass', 'secret')
    if (!redis) return skip(this, 'no redis-server')
    const STORAGE_URL = `redis://:hunter2@127.0.0.1:${redis.port}`
    await expectUnusable({ STORAGE_URL, AUDIT_URL }, /: STORAGE_URL: .* cannot be used: WRONGPASS/)
  })

  it('sqlite: a file that forgets what was consumed ends the start with 1 and one line', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'oidc.db')
    createSqliteAdapter({ file }).close()
    const database = new DatabaseSync(file)
    database.exec(`CREATE TRIGGER forgetful AFTER UPDATE OF consumed_at ON oidc_records
                   BEGIN UPDATE oidc_records SET consumed_at = NULL WHERE rowid = NEW.rowid; END`)
    database.close()
    const { code, stdout, stderr } = await runMain({ STORAGE_URL: `sqlite:${file}` })
    expect([code, stdout]).to.deep.equal([1, ''])
    expect(stderr).to.match(/^STORAGE_URL: .* cannot keep subject tokens: consumeOnce.*\n$/m)
  })

  it('redis: while the server is gone, errors are answered in time; afterwards all works again', async function () {
    const port = await freePort()
    const redis = await startRedis(port)
    if (!redis) return skip(this, 'no redis-server')
    await using folder = await temporaryFolder()
    const audit = `sqlite:${join(folder.path, 'audit.sqlite')}`
    const example = await start({ STORAGE_URL: `redis://127.0.0.1:${port}`, AUDIT_URL: audit })
    const issue = async () => (await issueDirectly(example.url, { userId: 'alice' })).body
    const log = console.error
    const said: unknown[] = []
    console.error = (line) => said.push(line)
    try {
      const { subjectToken } = await issue()
      await redis.stop()
      const since = performance.now()
      expect((await exchange(example.url, subjectToken)).status).to.equal(500)
      expect(performance.now() - since).to.be.below(20_000)

      await using _again = await startRedis(port)
      let token: unknown
      for (let tries = 0; token === undefined && tries < 600; tries += 1) {
        await wait(50)
        token = (await issue()).subjectToken
      }
      expect((await exchange(example.url, token)).status).to.equal(200)
      expect((await exchange(example.url, token)).status).to.equal(400)
      expect([said[0], said.at(-1)]).to.deep.equal([
        'Redis is lost: Socket closed unexpectedly',
        'Redis is back',
      ])
    } finally {
      console.error = log
      await example.close()
      await redis.stop()
    }
  })

  it('postgres: that there is no such database is said, for the storage or for the audit', async function () {
    await skipWithout(this, 'PostgreSQL')
    const none = new URL(POSTGRES_URL)
    none.pathname = '/no_such_database'
    none.password ||= 'hunter2'
    await expectUnusable(
      { STORAGE_URL: none.href },
      /: STORAGE_URL: .*no_such_database.* not exist/,
    )
    await using redis = await startRedis(await freePort())
    if (!redis) return skip(this, 'no redis-server')
    const STORAGE_URL = `redis://127.0.0.1:${redis.port}`
    await expectUnusable({ STORAGE_URL, AUDIT_URL: none.href }, /: AUDIT_URL: .* not exist/)
  })
})
