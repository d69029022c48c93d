import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'chai'
import { Client } from 'pg'
import { Pool } from 'undici'
import { freePort, inCi, POSTGRES_URL, reachable } from '../adapters/servers.ts'
import { startRedis } from '../example-provider/redis-server.ts'
import { launch, temporaryFolder } from '../example-provider/support.ts'
import { readOn } from './audit-contract.ts'
import { machineForApi } from './audit-support.ts'
import { openAuditAt } from './open-audit.ts'

/** Requests of one soak; SOAK_REQUESTS=100000 makes a long one. */
const REQUESTS = Number(process.env.SOAK_REQUESTS ?? 2000)
const CONNECTIONS = 64
const TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/**
 * Half of the requests issue and half exchange, over enough connections to reach the server's
 * limit.
 */
async function soak(base: string): Promise<void> {
  const authorization = `Bearer ${await machineForApi(base)}`
  const pool = new Pool(base, { connections: CONNECTIONS })
  const post = async (path: string, type: string, body: string, headers = {}) => {
    const answer = await pool.request({
      method: 'POST',
      path,
      body,
      headers: { 'content-type': type, ...headers },
    })
    const json = (await answer.body.json()) as Record<string, unknown>
    expect([200, 201], JSON.stringify(json)).to.include(answer.statusCode)
    return json
  }
  let left = REQUESTS / 2
  const worker = async () => {
    while (left > 0) {
      left -= 1
      const wish = '{"userId":"alice","context":{"ticketId":"SUP-1"}}'
      const { subjectToken } = await post('/api/subject-tokens', 'application/json', wish, {
        authorization,
      })
      const form = new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        client_id: 'support-console',
        subject_token: String(subjectToken),
        subject_token_type: TYPE,
        resource: `${base}/orders`,
        scope: 'orders:read',
      })
      await post('/oidc/token', 'application/x-www-form-urlencoded', form.toString())
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker)).finally(() => pool.close())
}

/** The same ids in the log and in the store, twice each: issued and granted. */
async function endsWithAsManyEntriesAsEvents(storageUrl: string): Promise<void> {
  await using folder = await temporaryFolder()
  await using running = await launch({
    DATA_DIR: folder.path,
    STORAGE_URL: storageUrl,
    LIMIT_PER_MINUTE: '100000000',
  })
  await soak(running.url)
  running.child.kill('SIGTERM')
  const { stdout, stderr, code } = await running.ended
  expect([code, stderr]).to.deep.equal([0, ''])
  const events = [...stdout.matchAll(/^\{"event":.*$/gm)].map(([line]) => JSON.parse(line))
  expect(events).to.have.length(REQUESTS)
  const storage = await openAuditAt(storageUrl)
  const stored = (await readOn(storage.audit, undefined, 500)).map(({ entry }) => entry)
  await storage.close()
  expect(stored).to.deep.equal(events)
}

describe('console: the audit under full load has as many entries as events', function () {
  this.timeout(60_000 + REQUESTS * 60)

  it('in SQLite', async () => {
    await using folder = await temporaryFolder()
    await endsWithAsManyEntriesAsEvents(`sqlite:${join(folder.path, 'x.sqlite')}`)
  })

  it('in Redis', async function () {
    await using folder = await temporaryFolder()
    // A Redis without an append-only file causes a warning on stderr, which has to be empty here.
    const lasting = ['--appendonly', 'yes', '--dir', folder.path]
    const server = await startRedis(await freePort(), ...lasting)
    if (!server && inCi) throw new Error('redis-server is not installed')
    if (!server) return this.skip()
    try {
      await endsWithAsManyEntriesAsEvents(`redis://127.0.0.1:${server.port}`)
    } finally {
      await server.stop()
    }
  })

  it('in PostgreSQL', async function () {
    if (!(await reachable(POSTGRES_URL, 5432))) {
      if (inCi) throw new Error('PostgreSQL is not running')
      return this.skip()
    }
    const url = new URL(POSTGRES_URL)
    const database = `soak_${randomUUID().replaceAll('-', '')}`
    url.pathname = `/${database}`
    const administer = async (sql: string) => {
      const client = new Client({ connectionString: POSTGRES_URL })
      await client.connect()
      await client.query(sql)
      await client.end()
    }
    await administer(`CREATE DATABASE ${database}`)
    try {
      await endsWithAsManyEntriesAsEvents(url.href)
    } finally {
      await administer(`DROP DATABASE ${database} WITH (FORCE)`)
    }
  })
})
