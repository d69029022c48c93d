import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { Client } from 'pg'
import { readConfig } from '../../example-provider/config.ts'
import type { Example } from '../../example-provider/server.ts'
import { StartError } from '../../example-provider/start-error.ts'
import { openStorage } from '../../example-provider/storage.ts'
import { freePort, inCi, POSTGRES_URL, reachable } from '../adapters/servers.ts'
import {
  type Answer,
  basic,
  type Ended,
  MAIN,
  postForm,
  postJson,
  run,
  signIn,
  start,
  temporaryFolder,
} from './support.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
const TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/** One of several copies: where it listens, which is not what it calls itself. */
interface Copy extends Example {
  readonly own: string
}

/** Copies of the example with one BASE_URL, which is that of the first, and one storage. */
async function copies(count: number, dataDir: string, storageUrl: string): Promise<Copy[]> {
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()))
  return Promise.all(
    ports.map(async (port) => {
      const example = await start({
        PORT: String(port),
        BASE_URL: `http://localhost:${ports[0]}`,
        DATA_DIR: dataDir,
        STORAGE_URL: storageUrl,
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
function exchange(base: string, subjectToken: string, at = base): Promise<Answer> {
  return postForm(`${at}/oidc/token`, {
    grant_type: GRANT,
    client_id: 'support-console',
    subject_token: subjectToken,
    subject_token_type: TYPE,
    resource: `${base}/orders`,
    scope: 'orders:read',
  })
}

interface RedisServer {
  readonly port: number
  stop(): Promise<void>
}

/** A redis-server on a port of the test's choosing; `undefined` where it is not installed. */
async function startRedis(port: number, ...args: string[]): Promise<RedisServer | undefined> {
  const options = ['--port', String(port), '--save', '', '--appendonly', 'no', ...args]
  const server = spawn('redis-server', options, { stdio: 'ignore' })
  let ended = false
  const end = new Promise<void>((resolve) => {
    server.once('error', () => resolve()).once('exit', () => resolve())
  }).then(() => {
    ended = true
  })
  const url = `redis://127.0.0.1:${port}`
  for (let tries = 0; tries < 250 && !ended; tries += 1) {
    if (await reachable(url, port)) {
      const stop = async () => {
        server.kill('SIGKILL')
        await end
      }
      return { port, stop }
    }
    await wait(20)
  }
  server.kill('SIGKILL')
  return undefined
}

async function runMain(environment: Record<string, string>): Promise<Ended> {
  await using folder = await temporaryFolder()
  return await run(MAIN, { PORT: '0', DATA_DIR: folder.path, ...environment })
}

/** What holds for every storage that outlives a process. */
function actsAsOneProvider(storageUrl: () => string): void {
  it('keeps what it stores across a restart: a token works once', async () => {
    await using folder = await temporaryFolder()
    const [before] = await copies(1, folder.path, storageUrl())
    const [used, unused] = [await issue(before?.url ?? ''), await issue(before?.url ?? '')]
    expect((await exchange(before?.url ?? '', used)).status).to.equal(200)
    await before?.close()

    const environment = {
      PORT: new URL(before?.own ?? '').port,
      DATA_DIR: folder.path,
      STORAGE_URL: storageUrl(),
    }
    const after = await start(environment)
    expect((await exchange(after.url, used)).status).to.equal(400)
    expect((await exchange(after.url, unused)).status).to.equal(200)
    expect((await exchange(after.url, unused)).status).to.equal(400)
    await after.close()
  })

  it('makes one provider of several copies: a token works once among them', async () => {
    await using folder = await temporaryFolder()
    const [first, second, third] = await copies(3, folder.path, storageUrl())
    if (!first || !second || !third) throw new Error('three copies were asked for')

    // A sign-in at the first is good at the backend of the second, whose token the third exchanges.
    const operator = await signIn(first.url)
    const request = { userId: 'alice', reason: 'r', ticketId: 't' }
    const issued = await postJson(`${second.own}/support/impersonations`, request, operator)
    expect(issued.status).to.equal(201)
    const token = String(issued.body.subjectToken)
    const answers = await Promise.all(
      [first, second, third].flatMap(({ own }) =>
        Array.from({ length: 5 }, () => exchange(first.url, token, own)),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).to.deep.equal([200, ...Array(14).fill(400)])
    await Promise.all([first, second, third].map((copy) => copy.close()))
  })
}

describe('example provider: storage', function () {
  this.timeout(30_000)

  describe('SQLite', () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    before(async () => {
      folder = await temporaryFolder()
    })
    after(() => folder[Symbol.asyncDispose]())

    actsAsOneProvider(() => `sqlite:${folder.path}/shared.sqlite`)

    it('is the default: a file in the data folder, for its owner alone', async () => {
      const dataDir = join(folder.path, 'not', 'there', 'yet')
      const example = await start({ DATA_DIR: dataDir, STORAGE_URL: '' })
      const { mode } = await stat(join(dataDir, 'provider.sqlite'))
      await example.close()
      expect(mode & 0o777).to.equal(0o600)
    })

    it('says so when the file is something else', async () => {
      const config = readConfig({ STORAGE_URL: `sqlite:${import.meta.filename}` })
      const error = await openStorage(config.storage).catch((error: unknown) => error)
      expect(error).to.be.instanceOf(StartError)
      expect(String(error)).to.include('STORAGE_URL').and.include('storage.test.ts')
    })
  })

  describe('Redis', () => {
    let server: Awaited<ReturnType<typeof startRedis>>
    before(async function () {
      server = await startRedis(await freePort(), '--requirepass', 'hunter2')
      if (!server && inCi) throw new Error('redis-server is not installed')
      if (!server) this.skip()
    })
    after(() => server?.stop())

    actsAsOneProvider(() => `redis://:hunter2@127.0.0.1:${server?.port}`)

    it('says so when the password is wrong, without repeating it', async () => {
      const STORAGE_URL = `redis://:wrong-secret@127.0.0.1:${server?.port}`
      const { code, stderr } = await runMain({ STORAGE_URL })
      expect(code).to.equal(1)
      expect(stderr).to.match(/^STORAGE_URL: redis:\/\/127\.0\.0\.1:\d+ cannot be used: .*\n$/)
      expect(stderr).not.to.include('wrong-secret')
    })

    it('answers errors in bounded time while the server is gone, and works again afterwards', async () => {
      const port = await freePort()
      let redis = await startRedis(port)
      if (!redis) throw new Error('redis-server did not start')
      const example = await start({ STORAGE_URL: `redis://127.0.0.1:${port}` })
      const log = console.error
      console.error = () => {}
      try {
        const token = await issue(example.url)
        await redis.stop()
        const since = performance.now()
        expect((await exchange(example.url, token)).status).to.equal(500)
        expect(performance.now() - since).to.be.below(5000)

        redis = await startRedis(port)
        let works = false
        for (let tries = 0; tries < 50 && !works; tries += 1) {
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
      if (!(await reachable(POSTGRES_URL, 5432))) {
        if (inCi) throw new Error('PostgreSQL is not running')
        this.skip()
      }
      await administer(`CREATE DATABASE ${database}`)
      created = true
    })
    after(async () => {
      if (created) await administer(`DROP DATABASE ${database} WITH (FORCE)`)
    })

    actsAsOneProvider(() => url.href)

    it('says so when there is no such database, without repeating the password', async () => {
      const other = new URL(url)
      other.pathname = '/no-such-database'
      other.password = 'a-secret'
      const { code, stderr } = await runMain({ STORAGE_URL: other.href })
      expect(code).to.equal(1)
      expect(stderr).to.match(/^STORAGE_URL: postgres:\/\/.*no-such-database.*\n$/)
      expect(stderr).not.to.include('a-secret')
    })
  })

  describe('unreachable', () => {
    for (const scheme of ['redis', 'postgres']) {
      it(`${scheme}: nobody listens: one line and exit 1`, async () => {
        const STORAGE_URL = `${scheme}://user:a-secret@localhost:${await freePort()}/0`
        const { code, stdout, stderr } = await runMain({ STORAGE_URL })
        expect([code, stdout]).to.deep.equal([1, ''])
        expect(stderr).to.match(
          /^STORAGE_URL: \w+:\/\/localhost:\d+\/0 cannot be used: .*ECONNREFUSED.*\n$/,
        )
        expect(stderr).not.to.include('a-secret')
      })

      it(`${scheme}: somebody listens and says nothing: one line and exit 1, in time`, async () => {
        const silent = createServer((socket) => socket.on('error', () => {}))
        const port = await freePort()
        silent.listen(port, '127.0.0.1')
        const since = performance.now()
        const STORAGE_URL = `${scheme}://127.0.0.1:${port}/0`
        const { code, stderr } = await runMain({ STORAGE_URL })
        silent.close()
        expect(code).to.equal(1)
        expect(stderr).to.match(/^STORAGE_URL: .* cannot be used: .*\n$/)
        expect(performance.now() - since).to.be.below(10_000)
      })
    }
  })

  describe('STORAGE_URL', () => {
    const understood: [value: string, kind: string, label: string][] = [
      ['memory:', 'memory', 'memory, forgotten at the end'],
      ['sqlite:/var/lib/x.db', 'sqlite', 'SQLite, /var/lib/x.db'],
      ['sqlite:///var/lib/x.db', 'sqlite', 'SQLite, /var/lib/x.db'],
      ['sqlite:x.db', 'sqlite', `SQLite, ${join(process.cwd(), 'x.db')}`],
      ['redis://joe:pw@db', 'redis', 'redis://db'],
      ['rediss://db:6380/1', 'redis', 'rediss://db:6380/1'],
      ['postgres://joe:pw@db/oidc?sslmode=require', 'postgres', 'postgres://db/oidc'],
      ['postgresql://db/oidc', 'postgres', 'postgresql://db/oidc'],
    ]
    for (const [STORAGE_URL, kind, label] of understood) {
      it(`${STORAGE_URL} is understood, and shown without password`, () => {
        expect(readConfig({ STORAGE_URL }).storage).to.include({ kind, label })
      })
    }

    for (const STORAGE_URL of [
      'sqlite:',
      'sqlite://x.db',
      'redis:',
      'postgres://',
      'memory',
      '/x.db',
    ]) {
      it(`${STORAGE_URL} is not understood`, () => {
        expect(() => readConfig({ STORAGE_URL })).to.throw(StartError, 'STORAGE_URL')
      })
    }
  })
})
