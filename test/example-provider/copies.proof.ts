import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { type RequestListener, request } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { exportJWK, generateKeyPair } from 'jose'
import { Client } from 'pg'
import { Application } from '../../example-provider/demo/application.ts'
import { freePort, POSTGRES_URL, skipWithout } from '../adapters/servers.ts'
import { startRedis } from './redis-server.ts'
import {
  type Answer,
  launch,
  listen,
  postForm,
  postJson,
  type Running,
  send,
  temporaryFolder,
} from './support.ts'

const TYPE = 'urn:ietf:params:oauth:token-type:access_token'
const PASSWORD = 'a-password-of-our-own'

/** Hands each request to the next port, on a connection of its own. */
function roundRobin(ports: readonly number[]): RequestListener {
  let turn = 0
  return (incoming, outgoing) => {
    const port = ports[turn % ports.length]
    turn += 1
    const { method, url: path, headers } = incoming
    const onward = request({ port, method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(onward)
  }
}

/** Where the copies keep everything. */
interface Urls {
  readonly STORAGE_URL: string
  readonly AUDIT_URL?: string
}

/** As docs/deployment.md says: only the ports differ, and DATA_DIR, which the copies do not need. */
async function environment(folder: string, baseUrl: string, urls: Urls) {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwksFile = join(folder, 'jwks.json')
  await writeFile(jwksFile, JSON.stringify({ keys: [await exportJWK(privateKey)] }))
  return {
    NODE_ENV: 'production',
    BASE_URL: baseUrl,
    ...urls,
    JWKS_FILE: jwksFile,
    COOKIE_KEYS: randomUUID(),
    SUPPORT_BACKEND_SECRET: randomUUID(),
    SUPPORT_WEB_SECRET: randomUUID(),
    COPILOT_SECRET: randomUUID(),
    SHOP_URL: 'https://shop.example.com',
    DEMO_PASSWORD: PASSWORD,
  }
}

/** Tests for every storage that several processes can share. */
function actAsOneProvider(urls: () => Urls): void {
  const processes: Running[] = []
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let front: Awaited<ReturnType<typeof listen>>
  let ports: number[]

  before(async () => {
    folder = await temporaryFolder()
    ports = await Promise.all([freePort(), freePort(), freePort()])
    front = await listen(roundRobin(ports))
    const shared = await environment(folder.path, front.url, urls())
    const launched = ports.map((port) =>
      launch({ ...shared, PORT: String(port), DATA_DIR: join(folder.path, String(port)) }),
    )
    processes.push(...(await Promise.all(launched)))
  })
  after(async () => {
    for (const copy of processes) await copy[Symbol.asyncDispose]()
    await front?.close()
    await folder?.[Symbol.asyncDispose]()
  })

  async function signIn(): Promise<string> {
    return (await Application.discover(front.url)).signIn('olivia', PASSWORD)
  }

  async function impersonate(operator: string): Promise<string> {
    const wish = { userId: 'alice', reason: 'r', ticketId: 't' }
    const { status, body } = await postJson(`${front.url}/support/impersonations`, wish, operator)
    expect(status).to.equal(201)
    return String(body.subjectToken)
  }

  function exchange(subjectToken: string, actor: string, at = front.url): Promise<Answer> {
    return postForm(`${at}/oidc/token`, {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: 'support-tool',
      subject_token: subjectToken,
      subject_token_type: TYPE,
      actor_token: actor,
      actor_token_type: TYPE,
      resource: `${front.url}/orders`,
      scope: 'orders:read',
    })
  }

  it('answers every step of the flow at whichever copy is next', async () => {
    for (let round = 0; round < 3; round += 1) {
      const operator = await signIn()
      const { status, body } = await exchange(await impersonate(operator), operator)
      expect(status).to.equal(200)
      for (const port of ports) {
        const orders = await send(`http://localhost:${port}/orders`, {
          headers: { authorization: `Bearer ${body.access_token}` },
        })
        expect(orders.status).to.equal(200)
      }
    }
  })

  it('I1: of 99 parallel exchanges at three copies, one succeeds', async () => {
    const operator = await signIn()
    const token = await impersonate(operator)
    const answers = await Promise.all(
      Array.from({ length: 33 }, () =>
        ports.map((port) => exchange(token, operator, `http://localhost:${port}`)),
      ).flat(),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).to.deep.equal([200, ...Array(98).fill(400)])
  })

  it('keeps what a copy issued and redeemed after that copy was killed', async () => {
    const operator = await signIn()
    const [used, unused] = [await impersonate(operator), await impersonate(operator)]
    const [at = '', other = ''] = ports.map((port) => `http://localhost:${port}`)
    expect((await exchange(used, operator, at)).status).to.equal(200)
    processes[0]?.child.kill('SIGKILL')
    await processes[0]?.ended
    expect((await exchange(used, operator, other)).status).to.equal(400)
    expect((await exchange(unused, operator, other)).status).to.equal(200)
  })
}

describe('example provider: copies as processes of their own, with one BASE_URL', function () {
  this.timeout(120_000)

  describe('on SQLite', () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    before(async () => {
      folder = await temporaryFolder()
    })
    after(() => folder[Symbol.asyncDispose]())
    describe('three of them', () =>
      actAsOneProvider(() => ({ STORAGE_URL: `sqlite:${folder.path}/shared.sqlite` })))
  })

  describe('on PostgreSQL', () => {
    const database = `copies_${randomUUID().replaceAll('-', '')}`
    const url = new URL(POSTGRES_URL)
    url.pathname = `/${database}`
    let created = false

    async function administer(sql: string): Promise<void> {
      const client = new Client({ connectionString: POSTGRES_URL })
      await client.connect()
      await client.query(sql)
      await client.end()
    }

    before(async function () {
      await skipWithout(this, 'PostgreSQL')
      await administer(`CREATE DATABASE ${database}`)
      created = true
    })
    // after the copies are gone: mocha runs the inner suite's hooks first
    describe('three of them', () => actAsOneProvider(() => ({ STORAGE_URL: url.href })))

    describe('for the audit, and on Redis for everything else', () => {
      let redis: Awaited<ReturnType<typeof startRedis>>
      before(async function () {
        await skipWithout(this, 'redis-server')
        redis = await startRedis(await freePort())
      })
      describe('three of them', () =>
        actAsOneProvider(() => ({
          STORAGE_URL: `redis://127.0.0.1:${redis?.port}`,
          AUDIT_URL: url.href,
        })))
      after(() => redis?.stop())
    })
    after(async () => {
      if (created) await administer(`DROP DATABASE ${database} WITH (FORCE)`)
    })
  })
})
